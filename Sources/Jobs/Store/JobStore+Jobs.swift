import Core
import Databases
import JSON
import JobTables

extension JobStore {
  package func jobs() async throws -> [JobRecord] {
    readable(try await rows(of: "job", key: ["name"], "SELECT * FROM job ORDER BY name"), record)
  }

  /// A part of the jobs, in the order of their names.
  package struct JobFilter: Sendable {
    /// A text that the names have.
    package var text = ""
    /// Only jobs behind this name.
    package var after = ""
    package var limit = 50
    package init() {}

    fileprivate var pattern: SQLValue { .containing(text) }
  }

  package func jobs(_ filter: JobFilter) async throws -> [JobRecord] {
    readable(
      try await rows(
        of: "job", key: ["name"],
        "SELECT * FROM job WHERE name > ? AND lower(name) LIKE ? ESCAPE '\\' ORDER BY name LIMIT ?",
        .text(filter.after.replacing("\u{0}", with: "")), filter.pattern, .integer(Int64(filter.limit))), record)
  }

  /// The number of jobs whose names have the text of a filter, and of those behind its place.
  package func jobCounts(_ filter: JobFilter) async throws -> (all: Int, rest: Int) {
    let row = try await row(
      of: "job",
      """
      SELECT count(*) AS all_jobs, count(*) FILTER (WHERE name > ?) AS rest FROM job WHERE lower(name) LIKE ? ESCAPE '\\'
      """, .text(filter.after.replacing("\u{0}", with: "")), filter.pattern)
    guard let row else { return (0, 0) }
    return (try row.count("all_jobs"), try row.count("rest"))
  }

  /// The jobs by their names, and the names of those whose rows are damaged.
  func jobsByName() async throws -> (jobs: [String: JobRecord], damaged: Set<String>) {
    let rows = try await rows(of: "job", key: ["name"], "SELECT * FROM job")
    let jobs = Dictionary(readable(rows, record).map { ($0.name, $0) }) { $1 }
    return (jobs, Set(try rows.map { try $0.text("name") }).subtracting(jobs.keys))
  }

  package func job(_ name: String) async throws -> JobRecord? {
    try await row(of: "job", key: ["name"], "SELECT * FROM job WHERE name = ?", .text(name)).map(record)
  }

  /// The job of a row. What nobody with the key has allowed does not count.
  private func record(_ row: RowReader) throws(DamagedRow) -> JobRecord {
    var job = try JobRecord(row)
    if let seal, !job.allowed.isEmpty, !seal.holds(try row.optionalText("seal"), job.sealed) {
      let name = job.name.displayable
      damaged.note(
        JobError(
          "not_sealed", "nobody with the key of the machines has allowed the job \(name) what its row says",
          hint: "b2c-run jobs allow \(name)"), at: place)
      job.allowed = []
    }
    return job
  }

  package func save(_ job: JobRecord) async throws { try await save([job]) }

  package func save(_ jobs: [JobRecord]) async throws {
    try await insert(
      "job (name, path, digest, declaration, trouble, needs, allowed, pause, failures, last, memory, warnings, seal, created)",
      jobs.map { job in
        [
          .text(job.name), .text(job.path), .text(job.digest), SQLValue(job.declaration?.encoded()),
          SQLValue(stored: job.trouble), .list(job.needs), .list(job.allowed), SQLValue(stored: job.pause),
          .integer(Int64(job.failures)), SQLValue(job.last?.rawValue), SQLValue(job.memory?.encoded()),
          .list(job.warnings), job.allowed.isEmpty ? .null : SQLValue(seal?.seal(job.sealed)), .integer(job.created),
        ]
      },
      """
      ON CONFLICT (name) DO UPDATE SET path = excluded.path, digest = excluded.digest,
        declaration = excluded.declaration, trouble = excluded.trouble, needs = excluded.needs,
        allowed = excluded.allowed, pause = excluded.pause, failures = excluded.failures, last = excluded.last,
        memory = excluded.memory, warnings = excluded.warnings, seal = excluded.seal
      """)
  }

  /// The rows of one statement.
  private static var mostRows: Int { 100 }

  /// Adds rows with few statements: each is a way to the database and back.
  private func insert(_ table: String, _ rows: [[SQLValue]], _ rest: String) async throws {
    for start in stride(from: 0, to: rows.count, by: Self.mostRows) {
      let batch = rows[start..<min(rows.count, start + Self.mostRows)]
      let marks = batch.map { "(\($0.map { _ in "?" }.joined(separator: ", ")))" }.joined(separator: ", ")
      try await statements.execute("INSERT INTO \(table) VALUES \(marks) \(rest)", values: batch.flatMap(\.self))
    }
  }

  /// The digests of the scripts that a machine plans, by the names of the jobs; nil if no machine plans.
  func digestsOfPlannedJobs() async throws -> [String: String]? {
    guard try await hasPlanner() else { return nil }
    let rows = try await rows(of: "job", key: ["name"], "SELECT name, digest FROM job")
    return Dictionary(try rows.map { (try $0.text("name"), try $0.text("digest")) }) { $1 }
  }

  /// Removes a job that is not in the folder any more. Its runs stay.
  package func removeJob(_ name: String) async throws {
    try await statements.execute("DELETE FROM job WHERE name = ?", .text(name))
  }

  package func triggers(of job: String) async throws -> [TriggerRecord] {
    readable(
      try await rows(of: "trigger", key: ["job", "text"], "SELECT * FROM trigger WHERE job = ?", .text(job)),
      TriggerRecord.init)
  }

  /// The triggers of all jobs, by their names.
  package func triggers() async throws -> [String: [TriggerRecord]] {
    let rows = try await rows(of: "trigger", key: ["job", "text"], "SELECT * FROM trigger")
    return Dictionary(grouping: readable(rows, TriggerRecord.init), by: \.job)
  }

  package func save(_ trigger: TriggerRecord) async throws { try await save([trigger]) }

  package func save(_ triggers: [TriggerRecord]) async throws {
    try await insert(
      "trigger (job, text, anchor, last)",
      triggers.map { [.text($0.job), .text($0.text), .integer($0.anchor), .integer($0.last)] },
      "ON CONFLICT (job, text) DO UPDATE SET anchor = excluded.anchor, last = excluded.last")
  }

  package func removeTrigger(_ text: String, of job: String) async throws {
    try await statements.execute("DELETE FROM trigger WHERE job = ? AND text = ?", .text(job), .text(text))
  }
}

extension JobRecord {
  /// The parts of a seal: a person has allowed these permissions to the job of this name.
  fileprivate var sealed: [String] { ["allowed", name] + allowed }

  fileprivate init(_ read: RowReader) throws(DamagedRow) {
    self.init(name: try read.text("name"), path: try read.text("path"), created: try read.milliseconds("created"))
    digest = try read.text("digest")
    declaration = try read.optionalJSON("declaration")
    trouble = try read.optionalText("trouble")
    needs = try read.texts("needs")
    allowed = try read.texts("allowed")
    pause = try read.optionalText("pause")
    failures = try read.count("failures")
    last = try read.isNull("last") ? nil : try read.runState("last")
    memory = try read.optionalJSON("memory")
    warnings = try read.optionalTexts("warnings") ?? []
  }
}

extension TriggerRecord {
  fileprivate init(_ read: RowReader) throws(DamagedRow) {
    self.init(
      job: try read.text("job"), text: try read.text("text"), anchor: try read.milliseconds("anchor"),
      last: try read.milliseconds("last"))
  }
}
