import Core
import JSON
import SQL
import Storage

extension JobStore {
  /// The runs that go on, in the order in which they came.
  package func openRuns() async throws -> [RunRecord] {
    readable(
      try await statements.query(
        "SELECT * FROM run WHERE state IN ('due', 'started', 'retry', 'asleep', 'waiting') ORDER BY id"),
      RunRecord.init)
  }

  package func run(_ id: Int64) async throws -> RunRecord? {
    try await statements.first("SELECT * FROM run WHERE id = ?", .integer(id)).map { try RunRecord($0) }
  }

  /// The last rows of jobs that are due times that were skipped, by the names of the jobs.
  package func lastSkips() async throws -> [String: RunRecord] {
    let rows = try await statements.query(
      """
      SELECT * FROM run WHERE state = 'skipped' AND due IS NOT NULL AND id IN (SELECT max(id) FROM run GROUP BY job)
      """)
    return Dictionary(readable(rows, RunRecord.init).map { ($0.job, $0) }) { $1 }
  }

  /// The due times of the last runs with this result, by the names of the jobs.
  package func lastDues(in state: RunState) async throws -> [String: Int64] {
    let rows = try await statements.query(
      "SELECT job, max(due) FROM run WHERE state = ? AND due IS NOT NULL GROUP BY job", .text(state.rawValue))
    return Dictionary(rows.map { ($0[0].text ?? "", $0[1].integer ?? 0) }) { $1 }
  }

  /// The last due time of a job before `time` that was not skipped.
  package func previousDue(of job: String, before time: Int64) async throws -> Int64? {
    try await statements.first(
      "SELECT due FROM run WHERE job = ? AND due < ? AND state <> 'skipped' ORDER BY due DESC LIMIT 1", .text(job),
      .integer(time))?[0].integer
  }

  /// The first due time of a job after `time` that has a row.
  package func firstDue(of job: String, after time: Int64) async throws -> Int64? {
    try await statements.first("SELECT min(due) FROM run WHERE job = ? AND due > ?", .text(job), .integer(time))?[0]
      .integer
  }

  package struct Filter: Sendable {
    package var job: String?
    package var failed = false
    package var since: Int64?
    /// Only runs before this one.
    package var before: Int64?
    package var limit = 50
    package init() {}
  }

  /// The newest runs first.
  package func runs(_ filter: Filter) async throws -> [RunRecord] {
    var conditions = ["id < ?"]
    var values: [SQLValue] = [.integer(filter.before ?? .max)]
    if let job = filter.job {
      conditions.append("job = ?")
      values.append(.text(job))
    }
    if filter.failed { conditions.append("state IN ('failed', 'timed out', 'interrupted')") }
    if let since = filter.since {
      conditions.append("coalesce(ended, created) >= ?")
      values.append(.integer(since))
    }
    // The statements are few: one for each set of conditions.
    return readable(
      try await statements.query(
        "SELECT * FROM run WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?",
        values: values + [.integer(Int64(filter.limit))]),
      RunRecord.init)
  }

  /// Adds a run. Returns false if the job has a row for this due time already.
  package func add(_ run: inout RunRecord) async throws -> Bool {
    let added = try await statements.query(
      """
      INSERT INTO run (job, kind, due, until, count, event, key, state, reason, attempt, interruptions, created,
        wake, started, ended, computed, arguments) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING RETURNING id
      """,
      values: [
        .text(run.job), .text(run.kind), SQLValue(run.due), SQLValue(run.until), .integer(run.count),
        .text(run.event.encoded()), SQLValue(stored: run.key), .text(run.state.rawValue), SQLValue(stored: run.reason),
        .integer(Int64(run.attempt)), .integer(Int64(run.interruptions)), .integer(run.created), SQLValue(run.wake),
        SQLValue(run.started), SQLValue(run.ended), .integer(run.computed),
        run.arguments.map { .list($0) } ?? .null,
      ])
    guard let id = added.first?[0].integer else { return false }
    run.id = id
    return true
  }

  /// Writes what changes in the life of a run.
  package func save(_ run: RunRecord) async throws {
    try await statements.execute(
      """
      UPDATE run SET until = ?, count = ?, event = ?, state = ?, reason = ?, attempt = ?, interruptions = ?, wake = ?,
        started = ?, ended = ?, computed = ?, process = ?, boot = ?, process_start = ?, digest = ?, permissions = ?,
        exit = ?, error = ?, progress = ?, machine = ? WHERE id = ?
      """,
      values: [
        SQLValue(run.until), .integer(run.count), .text(run.event.encoded()), .text(run.state.rawValue),
        SQLValue(stored: run.reason), .integer(Int64(run.attempt)), .integer(Int64(run.interruptions)),
        SQLValue(run.wake),
        SQLValue(run.started), SQLValue(run.ended), .integer(run.computed),
        SQLValue(run.process.map { Int64($0.id) }), SQLValue(run.process?.boot), SQLValue(run.process?.start),
        SQLValue(run.digest), .list(run.permissions), SQLValue(run.exit.map { Int64($0) }),
        SQLValue(run.error?.json.encoded()), SQLValue(run.progress?.encoded()), SQLValue(run.machine),
        .integer(run.id),
      ])
  }
}

extension RunRecord {
  /// Throws `damaged`.
  init(_ row: Row) throws(JobError) {
    let id = row["id"].integer ?? 0
    let numbers = StoredNumbers(row, "run", "\(id)")
    self.init(
      job: row["job"].text ?? "", kind: row["kind"].text ?? "", due: try numbers.time("due"),
      event: JSON(stored: row["event"]) ?? .object([:]), state: RunState(rawValue: row["state"].text ?? "") ?? .failed,
      created: try numbers.time("created") ?? 0)
    self.id = id
    until = try numbers.time("until")
    count = Int64(try numbers.count("count"))
    key = row["key"].text
    reason = row["reason"].text
    attempt = try numbers.count("attempt")
    interruptions = try numbers.count("interruptions")
    wake = try numbers.time("wake")
    started = try numbers.time("started")
    ended = try numbers.time("ended")
    computed = try numbers.length("computed")
    process = row["process"].integer.map {
      ProcessIdentity(
        id: Int32(truncatingIfNeeded: $0), boot: row["boot"].text ?? "", start: row["process_start"].integer ?? 0)
    }
    digest = row["digest"].text
    permissions = row["permissions"].texts
    arguments = row["arguments"].isNull ? nil : row["arguments"].texts
    exit = row["exit"].integer.map { Int32(truncatingIfNeeded: $0) }
    error = RunError(JSON(stored: row["error"]))
    progress = JSON(stored: row["progress"])
    machine = row["machine"].text?.displayable
  }
}
