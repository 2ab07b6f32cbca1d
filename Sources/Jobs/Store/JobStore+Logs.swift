import Databases

extension JobStore {
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
