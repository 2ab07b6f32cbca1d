import Core
import Databases
import JSON

extension JobStore {
  /// The open runs, in the order in which they came.
  package func openRuns() async throws -> [RunRecord] {
    try await runs("SELECT * FROM run WHERE state IN ('due', 'started', 'retry', 'asleep', 'waiting') ORDER BY id")
  }

  package func run(_ id: Int64) async throws -> RunRecord? {
    try await row(of: "run", key: ["id"], "SELECT * FROM run WHERE id = ?", .integer(id)).map(RunRecord.init)
  }

  /// The last rows of jobs that are due times that were skipped, by the names of the jobs.
  package func lastSkips() async throws -> [String: RunRecord] {
    let found = try await runs(
      "SELECT * FROM run WHERE state = 'skipped' AND due IS NOT NULL AND id IN (SELECT max(id) FROM run GROUP BY job)")
    return Dictionary(found.map { ($0.job, $0) }) { $1 }
  }

  /// The condition of rows with a due time that can be. The others are told where their runs are read.
  private static var isDue: String { "due BETWEEN 0 AND \(StoredTime.latest)" }

  /// The due times of the last runs with this result, by the names of the jobs.
  package func lastDues(in state: RunState) async throws -> [String: Int64] {
    let rows = try await rows(
      of: "run", key: ["job"],
      "SELECT job, max(due) AS due FROM run WHERE state = ? AND \(Self.isDue) GROUP BY job", .text(state.rawValue))
    let dues = readable(rows) { row throws(DamagedRow) in (try row.text("job"), try row.milliseconds("due")) }
    return Dictionary(dues) { $1 }
  }

  /// The last due time of a job before `time` that was not skipped.
  package func previousDue(of job: String, before time: Int64) async throws -> Int64? {
    try await row(
      of: "run", key: ["id"],
      "SELECT id, due FROM run WHERE job = ? AND due < ? AND \(Self.isDue) AND state <> 'skipped' ORDER BY due DESC LIMIT 1",
      .text(job), .integer(time))?.milliseconds("due")
  }

  /// The first due time of a job after `time` that has a row.
  package func firstDue(of job: String, after time: Int64) async throws -> Int64? {
    try await row(
      of: "run", "SELECT min(due) AS due FROM run WHERE job = ? AND due > ? AND \(Self.isDue)", .text(job),
      .integer(time))?
      .optionalMilliseconds("due")
  }

  /// The first moment from `time` on at which the job has no row yet.
  func freeDue(of job: String, from time: Int64) async throws -> Int64 {
    var time = time
    while try await statements.first("SELECT 1 FROM run WHERE job = ? AND due = ?", .text(job), .integer(time)) != nil {
      time += 1
    }
    return time
  }

  /// True if a due time of a job has a run that was not skipped.
  func hasRun(of job: String, due: Int64) async throws -> Bool {
    try await statements.first(
      "SELECT 1 FROM run WHERE job = ? AND due = ? AND state <> 'skipped'", .text(job), .integer(due)) != nil
  }

  package struct Filter: Sendable {
    package var job: String?
    /// A text in the job's name, the event, the arguments, the reason or the error.
    package var text: String?
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
    if let text = filter.text {
      conditions.append(
        """
        lower(job || ' ' || event || ' ' || coalesce(arguments, '') || ' ' || coalesce(reason, '') || ' '
          || coalesce(error, '')) LIKE ? ESCAPE '\\'
        """)
      values.append(.containing(text))
    }
    if let since = filter.since {
      conditions.append("coalesce(ended, created) >= ?")
      values.append(.integer(since))
    }
    // The statements are few: one for each set of conditions.
    return try await runs(
      "SELECT * FROM run WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?",
      values: values + [.integer(Int64(filter.limit))])
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
  init(_ read: RowReader) throws(DamagedRow) {
    self.init(
      job: try read.text("job"), kind: try read.text("kind"), due: try read.optionalMilliseconds("due"),
      event: try read.json("event"), state: try read.runState("state"), created: try read.milliseconds("created"))
    id = try read.integer("id", in: RowReader.any)
    until = try read.optionalMilliseconds("until")
    count = Int64(try read.count("count"))
    key = try read.optionalText("key")
    reason = try read.optionalText("reason")
    attempt = try read.count("attempt")
    interruptions = try read.count("interruptions")
    wake = try read.optionalMilliseconds("wake")
    started = try read.optionalMilliseconds("started")
    ended = try read.optionalMilliseconds("ended")
    computed = try read.milliseconds("computed")
    if let process = try read.optionalInteger("process", in: 0...Int64(Int32.max)) {
      self.process = ProcessIdentity(
        id: Int32(process), boot: try read.text("boot"), start: try read.integer("process_start", in: RowReader.any))
    }
    digest = try read.optionalText("digest")
    permissions = try read.optionalTexts("permissions") ?? []
    arguments = try read.optionalTexts("arguments")
    exit = try read.optionalInteger("exit", in: Int64(Int32.min)...Int64(Int32.max)).map { Int32($0) }
    error = RunError(try read.optionalJSON("error"))
    progress = try read.optionalJSON("progress")
    machine = try read.optionalText("machine")?.displayable
  }
}
