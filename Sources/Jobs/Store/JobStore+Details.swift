import Databases
package import JSON

/// The steps, attachments and logs of runs.
extension JobStore {
  package struct Step: Sendable, Equatable {
    package var name: String
    /// Counts the calls with this name, from 1.
    package var number: Int
    package var result: JSON
    package var ended: Int64
  }

  package func steps(of run: Int64) async throws -> [Step] {
    try await rows(
      of: "step", key: ["run", "name"], "SELECT * FROM step WHERE run = ? ORDER BY ended, name, number", .integer(run)
    ).map { read in
      Step(
        name: try read.text("name"), number: try read.count("number"), result: try read.json("result"),
        ended: try read.milliseconds("ended"))
    }
  }

  package func add(_ step: Step, to run: Int64) async throws {
    try await statements.execute(
      """
      INSERT INTO step (run, name, number, result, ended) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (run, name, number) DO UPDATE SET result = excluded.result, ended = excluded.ended
      """, .integer(run), .text(step.name),
      .integer(Int64(step.number)),
      .text(step.result.encoded()), .integer(step.ended))
  }

  /// A file that a run has attached. Whoever can write to the database can change the path: the file counts only on the
  /// machine of the run, and with the content that the run has attached.
  package struct Attachment: Sendable, Equatable {
    /// The most bytes of a file.
    package static let most = 64 << 20

    package var title: String
    package var path: String
    /// Nil where there is only one.
    package var machine: String?
    /// SHA-256, in hexadecimal; nil for a file that an earlier version attached.
    package var digest: String?

    package init(title: String, path: String, machine: String?, digest: String?) {
      self.title = title
      self.path = path
      self.machine = machine
      self.digest = digest
    }
  }

  package func attachments(of run: Int64) async throws -> [Attachment] {
    try await rows(
      of: "attachment", key: ["run", "path"], "SELECT * FROM attachment WHERE run = ? ORDER BY title, path",
      .integer(run)
    ).map { read in
      Attachment(
        title: try read.text("title"), path: try read.text("path"), machine: try read.optionalText("machine"),
        digest: try read.optionalText("digest"))
    }
  }

  package func attach(_ file: Attachment, to run: Int64) async throws {
    try await statements.execute(
      """
      INSERT INTO attachment (run, title, path, machine, digest) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (run, path) DO UPDATE SET title = excluded.title, machine = excluded.machine, digest = excluded.digest
      """, .integer(run), .text(file.title), .text(file.path), SQLValue(file.machine), SQLValue(file.digest))
  }

  // MARK: Logs

  /// The end of what a run has printed on one of several machines.
  package struct LogPart: Sendable, Equatable {
    package var machine: String
    /// The last attempt on the machine.
    package var attempt: Int
    /// Nil if the machine died before it stored the text.
    package var text: String?
    /// True if the beginning is left out.
    package var isCut = false

    package init(machine: String, attempt: Int, text: String?, isCut: Bool = false) {
      self.machine = machine
      self.attempt = attempt
      self.text = text
      self.isCut = isCut
    }
  }

  package func save(_ part: LogPart, of run: Int64) async throws {
    try await statements.execute(
      """
      INSERT INTO log (run, machine, attempt, text, cut) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (run, machine) DO UPDATE SET attempt = excluded.attempt, text = coalesce(excluded.text, log.text),
        cut = CASE WHEN excluded.text IS NULL THEN log.cut ELSE excluded.cut END
      """, .integer(run), .text(part.machine), .integer(Int64(part.attempt)), SQLValue(part.text),
      .integer(part.isCut ? 1 : 0))
  }

  /// The parts of a run's log, in the order of the attempts. One machine alone keeps logs as files.
  package func logs(of run: Int64) async throws -> [LogPart] {
    guard statements.dialect == .postgresql else { return [] }
    return try await rows(
      of: "log", key: ["run", "machine"], "SELECT * FROM log WHERE run = ? ORDER BY attempt", .integer(run)
    ).map { read in
      LogPart(
        machine: try read.text("machine"), attempt: try read.count("attempt"), text: try read.optionalText("text"),
        isCut: try read.flag("cut"))
    }
  }
}
