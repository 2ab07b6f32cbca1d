import JSON
import SQL
import Storage

/// Machines that end while their runs go on: another machine plans, and they pass on what their processes say.
extension JobStore {
  /// A machine drains from now on.
  func drain(_ machine: JobMachine) async throws {
    try await statements.execute(
      "UPDATE machine SET draining = 1 WHERE name = ? AND session = ?", .text(machine.name), .integer(machine.session))
  }

  /// The owners of the runs of machines that drain and are alive, by the names of the machines.
  func drainingOwners() async throws -> [String: String] {
    let rows = try await statements.query(
      "SELECT name, session FROM machine WHERE draining = 1 AND until > \(statements.dialect.now)")
    return Dictionary(
      rows.map { ($0[0].text ?? "", JobMachine.owner($0[0].text ?? "", $0[1].integer ?? 0)) }
    ) { $1 }
  }

  /// The owners of runs of which messages wait, also of machines that have ended.
  func ownersInInbox() async throws -> [Int64: String] {
    let rows = try await statements.query(
      "SELECT content FROM inbox WHERE kind = 'process' AND answer IS NULL ORDER BY id")
    var owners: [Int64: String] = [:]
    for row in rows {
      guard let content = JSON(stored: row[0]), let run = content["run"]?.lenientInteger else { continue }
      owners[run] = content["owner"]?.string
    }
    return owners
  }

  /// Takes the answers to what the processes of a machine said, and the orders to end them, the oldest first.
  func takeMail(for machine: String) async throws -> [(kind: Message.Kind, content: JSON, answer: JSON)] {
    let rows = try await statements.query(
      """
      DELETE FROM inbox WHERE machine = ? AND (kind = 'stop' OR kind = 'process' AND answer IS NOT NULL)
      RETURNING id, kind, content, answer
      """, .text(machine))
    return rows.sorted { ($0[0].integer ?? 0) < ($1[0].integer ?? 0) }.map {
      (
        Message.Kind(rawValue: $0[1].text ?? "") ?? .process, JSON(stored: $0[2]) ?? .null,
        JSON(stored: $0[3]) ?? .null
      )
    }
  }
}
