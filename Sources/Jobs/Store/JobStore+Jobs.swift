import JSON
import SQL
import Storage

extension JobStore {
  package func jobs() async throws -> [JobRecord] {
    try await statements.query("SELECT * FROM job ORDER BY name").map(JobRecord.init)
  }

  package func job(_ name: String) async throws -> JobRecord? {
    try await statements.first("SELECT * FROM job WHERE name = ?", .text(name)).map(JobRecord.init)
  }

  /// The digests of the scripts that a machine plans, by the names of the jobs; nil if no machine plans.
  func digestsOfPlannedJobs() async throws -> [String: String]? {
    guard try await hasPlanner() else { return nil }
    let rows = try await statements.query("SELECT name, digest FROM job")
    return Dictionary(rows.map { ($0[0].text ?? "", $0[1].text ?? "") }) { $1 }
  }

  package func save(_ job: JobRecord) async throws {
    try await statements.execute(
      """
      INSERT INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET path = excluded.path,
        digest = excluded.digest, declaration = excluded.declaration, trouble = excluded.trouble, needs = excluded.needs,
        allowed = excluded.allowed, pause = excluded.pause, failures = excluded.failures, last = excluded.last,
        memory = excluded.memory, warnings = excluded.warnings
      """,
      values: [
        .text(job.name), .text(job.path), .text(job.digest), SQLValue(job.declaration?.encoded()),
        SQLValue(job.trouble), .list(job.needs), .list(job.allowed), SQLValue(job.pause),
        .integer(Int64(job.failures)), SQLValue(job.last?.rawValue), SQLValue(job.memory?.encoded()),
        .integer(job.created), .list(job.warnings),
      ])
  }

  /// Removes a job that is not in the folder any more. Its runs stay.
  package func removeJob(_ name: String) async throws {
    try await statements.execute("DELETE FROM job WHERE name = ?", .text(name))
  }

  package func triggers(of job: String) async throws -> [TriggerRecord] {
    try await statements.query("SELECT * FROM trigger WHERE job = ?", .text(job)).map {
      TriggerRecord(
        job: $0[0].text ?? "", text: $0[1].text ?? "", anchor: $0[2].integer ?? 0, last: $0[3].integer ?? 0)
    }
  }

  package func save(_ trigger: TriggerRecord) async throws {
    try await statements.execute(
      """
      INSERT INTO trigger VALUES (?, ?, ?, ?)
      ON CONFLICT (job, text) DO UPDATE SET anchor = excluded.anchor, last = excluded.last
      """, .text(trigger.job), .text(trigger.text),
      .integer(trigger.anchor), .integer(trigger.last))
  }

  package func removeTrigger(_ text: String, of job: String) async throws {
    try await statements.execute("DELETE FROM trigger WHERE job = ? AND text = ?", .text(job), .text(text))
  }
}

extension JobRecord {
  fileprivate init(_ row: Row) {
    self.init(name: row["name"].text ?? "", path: row["path"].text ?? "", created: row["created"].integer ?? 0)
    digest = row["digest"].text ?? ""
    declaration = JSON(stored: row["declaration"])
    trouble = row["trouble"].text
    needs = row["needs"].texts
    allowed = row["allowed"].texts
    pause = row["pause"].text
    failures = Int(row["failures"].integer ?? 0)
    last = row["last"].text.flatMap(RunState.init)
    memory = JSON(stored: row["memory"])
    warnings = row["warnings"].texts
  }
}
