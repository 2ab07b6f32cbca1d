import JSON
import SQL
import Storage

extension JobStore {
  /// The runs that go on, in the order in which they came.
  package func openRuns() async throws -> [RunRecord] {
    try await statements.query(
      "SELECT * FROM run WHERE state IN ('due', 'started', 'retry', 'asleep', 'waiting') ORDER BY id"
    ).map(RunRecord.init)
  }

  package func run(_ id: Int64) async throws -> RunRecord? {
    try await statements.first("SELECT * FROM run WHERE id = ?", .integer(id)).map(RunRecord.init)
  }

  /// The last run of a job, or the last due times that were skipped.
  package func lastRun(of job: String) async throws -> RunRecord? {
    try await statements.first("SELECT * FROM run WHERE job = ? ORDER BY id DESC LIMIT 1", .text(job)).map(
      RunRecord.init)
  }

  /// The due time of the last run of a job that has this result, or later.
  package func lastDue(of job: String, in state: RunState) async throws -> Int64? {
    try await statements.first(
      "SELECT max(due) FROM run WHERE job = ? AND state = ?", .text(job), .text(state.rawValue))?[0].integer
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
    return try await statements.query(
      "SELECT * FROM run WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?",
      values: values + [.integer(Int64(filter.limit))]
    ).map(RunRecord.init)
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
        .text(run.event.encoded()), SQLValue(run.key), .text(run.state.rawValue), SQLValue(run.reason),
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
        SQLValue(run.reason), .integer(Int64(run.attempt)), .integer(Int64(run.interruptions)),
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
  fileprivate init(_ row: Row) {
    self.init(
      job: row["job"].text ?? "", kind: row["kind"].text ?? "", due: row["due"].integer,
      event: JSON(stored: row["event"]) ?? .object([:]), state: RunState(rawValue: row["state"].text ?? "") ?? .failed,
      created: row["created"].integer ?? 0)
    id = row["id"].integer ?? 0
    until = row["until"].integer
    count = row["count"].integer ?? 1
    key = row["key"].text
    reason = row["reason"].text
    attempt = Int(row["attempt"].integer ?? 0)
    interruptions = Int(row["interruptions"].integer ?? 0)
    wake = row["wake"].integer
    started = row["started"].integer
    ended = row["ended"].integer
    computed = row["computed"].integer ?? 0
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
    machine = row["machine"].text
  }
}
