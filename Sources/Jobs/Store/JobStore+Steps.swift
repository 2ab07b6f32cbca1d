package import JSON
import SQL
import Storage

extension JobStore {
  package struct Step: Sendable, Equatable {
    package var name: String
    /// Counts the calls with this name, from 1.
    package var number: Int
    package var result: JSON
    package var ended: Int64
  }

  package func steps(of run: Int64) async throws -> [Step] {
    try await statements.query(
      "SELECT name, number, result, ended FROM step WHERE run = ? ORDER BY ended, name, number", .integer(run)
    ).map {
      Step(
        name: $0[0].text ?? "", number: Int($0[1].integer ?? 0), result: JSON(stored: $0[2]) ?? .null,
        ended: $0[3].integer ?? 0)
    }
  }

  package func add(_ step: Step, to run: Int64) async throws {
    try await statements.execute(
      """
      INSERT INTO step VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (run, name, number) DO UPDATE SET result = excluded.result, ended = excluded.ended
      """, .integer(run), .text(step.name),
      .integer(Int64(step.number)),
      .text(step.result.encoded()), .integer(step.ended))
  }

  package func attachments(of run: Int64) async throws -> [(title: String, path: String)] {
    try await statements.query("SELECT title, path FROM attachment WHERE run = ? ORDER BY title, path", .integer(run))
      .map {
        ($0[0].text ?? "", $0[1].text ?? "")
      }
  }

  package func attach(_ path: String, _ title: String, to run: Int64) async throws {
    try await statements.execute(
      """
      INSERT INTO attachment VALUES (?, ?, ?) ON CONFLICT (run, path) DO UPDATE SET title = excluded.title
      """, .integer(run), .text(title), .text(path))
  }
}
