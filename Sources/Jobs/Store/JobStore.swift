package import JSON
import SQL
package import SQLite

/// The jobs, their runs and what they remember, in an SQLite database.
package final class JobStore {
  private let database: Connection

  /// Opens the database, or makes it. Throws `SQLiteError`, also for a database of a newer program.
  /// - Parameter mustExist: makes no database.
  package init(path: String, mustExist: Bool = false) throws(SQLiteError) {
    database = try Connection(path: path, mustExist: mustExist)
    if try database.first("PRAGMA user_version")?[0].integer == 0, !mustExist {
      // Removed history makes the file smaller. The mode has to be set before the first table is made.
      try database.executeScript("PRAGMA auto_vacuum = INCREMENTAL; VACUUM;")
    }
    // Due times and received requests survive a power cut.
    try database.executeScript("PRAGMA synchronous = FULL;")
    try database.migrate(Self.schema)
  }

  package static func inMemory() throws(SQLiteError) -> JobStore { try JobStore(path: ":memory:") }

  private static let schema = [
    """
    CREATE TABLE job (
      name TEXT PRIMARY KEY, path TEXT NOT NULL, digest TEXT NOT NULL, declaration TEXT, trouble TEXT,
      needs TEXT NOT NULL, allowed TEXT NOT NULL, pause TEXT, failures INTEGER NOT NULL, last TEXT, memory TEXT,
      created INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE trigger (
      job TEXT NOT NULL REFERENCES job ON DELETE CASCADE, text TEXT NOT NULL, anchor INTEGER NOT NULL,
      last INTEGER NOT NULL, PRIMARY KEY (job, text)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE run (
      id INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL, kind TEXT NOT NULL, due INTEGER, until INTEGER,
      count INTEGER NOT NULL, event TEXT NOT NULL, key TEXT, state TEXT NOT NULL, reason TEXT, attempt INTEGER NOT NULL,
      interruptions INTEGER NOT NULL, created INTEGER NOT NULL, wake INTEGER, started INTEGER, ended INTEGER,
      computed INTEGER NOT NULL, process INTEGER, boot TEXT, process_start INTEGER, digest TEXT, permissions TEXT,
      arguments TEXT, exit INTEGER, error TEXT, progress TEXT
    ) STRICT;
    CREATE UNIQUE INDEX run_due ON run (job, due) WHERE due IS NOT NULL;
    CREATE INDEX run_job ON run (job, id);
    CREATE INDEX run_open ON run (id) WHERE state IN ('due', 'started', 'retry', 'asleep', 'waiting');
    CREATE INDEX run_failed ON run (id) WHERE state IN ('failed', 'timed out', 'interrupted');
    CREATE TABLE step (
      run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, name TEXT NOT NULL, number INTEGER NOT NULL,
      result TEXT NOT NULL, ended INTEGER NOT NULL, PRIMARY KEY (run, name, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE attachment (
      run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, title TEXT NOT NULL, path TEXT NOT NULL,
      PRIMARY KEY (run, path)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE hook (
      job TEXT NOT NULL, id TEXT NOT NULL, received INTEGER NOT NULL, PRIMARY KEY (job, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX hook_received ON hook (received);
    CREATE TABLE file (
      job TEXT NOT NULL REFERENCES job ON DELETE CASCADE, path TEXT NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
      modified INTEGER NOT NULL, PRIMARY KEY (job, path)
    ) STRICT, WITHOUT ROWID;
    """
  ]

  /// Runs `body` in a transaction that is on the disk when this returns.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result { try database.transaction(body) }

  // MARK: Jobs

  package func jobs() throws(SQLiteError) -> [JobRecord] {
    try database.query("SELECT * FROM job ORDER BY name").map(JobRecord.init)
  }

  package func job(_ name: String) throws(SQLiteError) -> JobRecord? {
    try database.first("SELECT * FROM job WHERE name = ?", .text(name)).map(JobRecord.init)
  }

  package func save(_ job: JobRecord) throws(SQLiteError) {
    try database.execute(
      """
      INSERT INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET path = excluded.path,
        digest = excluded.digest, declaration = excluded.declaration, trouble = excluded.trouble, needs = excluded.needs,
        allowed = excluded.allowed, pause = excluded.pause, failures = excluded.failures, last = excluded.last,
        memory = excluded.memory
      """,
      values: [
        .text(job.name), .text(job.path), .text(job.digest), SQLValue(job.declaration?.encoded()),
        SQLValue(job.trouble), .list(job.needs), .list(job.allowed), SQLValue(job.pause),
        .integer(Int64(job.failures)), SQLValue(job.last?.rawValue), SQLValue(job.memory?.encoded()),
        .integer(job.created),
      ])
  }

  /// Removes a job that is not in the folder any more. Its runs stay.
  package func removeJob(_ name: String) throws(SQLiteError) {
    try database.execute("DELETE FROM job WHERE name = ?", .text(name))
  }

  package func triggers(of job: String) throws(SQLiteError) -> [TriggerRecord] {
    try database.query("SELECT * FROM trigger WHERE job = ?", .text(job)).map {
      TriggerRecord(
        job: $0[0].text ?? "", text: $0[1].text ?? "", anchor: $0[2].integer ?? 0, last: $0[3].integer ?? 0)
    }
  }

  package func save(_ trigger: TriggerRecord) throws(SQLiteError) {
    try database.execute(
      "INSERT OR REPLACE INTO trigger VALUES (?, ?, ?, ?)", .text(trigger.job), .text(trigger.text),
      .integer(trigger.anchor), .integer(trigger.last))
  }

  package func removeTrigger(_ text: String, of job: String) throws(SQLiteError) {
    try database.execute("DELETE FROM trigger WHERE job = ? AND text = ?", .text(job), .text(text))
  }

  // MARK: Runs

  /// The runs that go on, in the order in which they came.
  package func openRuns() throws(SQLiteError) -> [RunRecord] {
    try database.query(
      "SELECT * FROM run WHERE state IN ('due', 'started', 'retry', 'asleep', 'waiting') ORDER BY id"
    ).map(RunRecord.init)
  }

  package func run(_ id: Int64) throws(SQLiteError) -> RunRecord? {
    try database.first("SELECT * FROM run WHERE id = ?", .integer(id)).map(RunRecord.init)
  }

  /// The last run of a job, or the last due times that were skipped.
  package func lastRun(of job: String) throws(SQLiteError) -> RunRecord? {
    try database.first("SELECT * FROM run WHERE job = ? ORDER BY id DESC LIMIT 1", .text(job)).map(RunRecord.init)
  }

  /// The due time of the last run of a job that has this result, or later.
  package func lastDue(of job: String, in state: RunState) throws(SQLiteError) -> Int64? {
    try database.first(
      "SELECT max(due) FROM run WHERE job = ? AND state = ?", .text(job), .text(state.rawValue))?[0].integer
  }

  /// The last due time of a job before `time` that was not skipped.
  package func previousDue(of job: String, before time: Int64) throws(SQLiteError) -> Int64? {
    try database.first(
      "SELECT due FROM run WHERE job = ? AND due < ? AND state <> 'skipped' ORDER BY due DESC LIMIT 1", .text(job),
      .integer(time))?[0].integer
  }

  /// The first due time of a job after `time` that has a row.
  package func firstDue(of job: String, after time: Int64) throws(SQLiteError) -> Int64? {
    try database.first("SELECT min(due) FROM run WHERE job = ? AND due > ?", .text(job), .integer(time))?[0].integer
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
  package func runs(_ filter: Filter) throws(SQLiteError) -> [RunRecord] {
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
    return try database.query(
      "SELECT * FROM run WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?",
      values: values + [.integer(Int64(filter.limit))]
    ).map(RunRecord.init)
  }

  /// Adds a run. Returns false if the job has a row for this due time already.
  package func add(_ run: inout RunRecord) throws(SQLiteError) -> Bool {
    try database.execute(
      """
      INSERT OR IGNORE INTO run (job, kind, due, until, count, event, key, state, reason, attempt, interruptions, created,
        wake, started, ended, computed, arguments) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      values: [
        .text(run.job), .text(run.kind), SQLValue(run.due), SQLValue(run.until), .integer(run.count),
        .text(run.event.encoded()), SQLValue(run.key), .text(run.state.rawValue), SQLValue(run.reason),
        .integer(Int64(run.attempt)), .integer(Int64(run.interruptions)), .integer(run.created), SQLValue(run.wake),
        SQLValue(run.started), SQLValue(run.ended), .integer(run.computed),
        run.arguments.map { .list($0) } ?? .null,
      ])
    guard database.changes == 1 else { return false }
    run.id = database.lastInsertedID
    return true
  }

  /// Writes what changes in the life of a run.
  package func save(_ run: RunRecord) throws(SQLiteError) {
    try database.execute(
      """
      UPDATE run SET until = ?, count = ?, event = ?, state = ?, reason = ?, attempt = ?, interruptions = ?, wake = ?,
        started = ?, ended = ?, computed = ?, process = ?, boot = ?, process_start = ?, digest = ?, permissions = ?,
        exit = ?, error = ?, progress = ? WHERE id = ?
      """,
      values: [
        SQLValue(run.until), .integer(run.count), .text(run.event.encoded()), .text(run.state.rawValue),
        SQLValue(run.reason), .integer(Int64(run.attempt)), .integer(Int64(run.interruptions)),
        SQLValue(run.wake),
        SQLValue(run.started), SQLValue(run.ended), .integer(run.computed),
        SQLValue(run.process.map { Int64($0.id) }), SQLValue(run.process?.boot), SQLValue(run.process?.start),
        SQLValue(run.digest), .list(run.permissions), SQLValue(run.exit.map { Int64($0) }),
        SQLValue(run.error?.json.encoded()), SQLValue(run.progress?.encoded()), .integer(run.id),
      ])
  }

  // MARK: Data of runs

  package struct Step: Sendable, Equatable {
    package var name: String
    /// Counts the calls with this name, from 1.
    package var number: Int
    package var result: JSON
    package var ended: Int64
  }

  package func steps(of run: Int64) throws(SQLiteError) -> [Step] {
    try database.query("SELECT name, number, result, ended FROM step WHERE run = ? ORDER BY ended", .integer(run)).map {
      Step(
        name: $0[0].text ?? "", number: Int($0[1].integer ?? 0), result: JSON(stored: $0[2]) ?? .null,
        ended: $0[3].integer ?? 0)
    }
  }

  package func add(_ step: Step, to run: Int64) throws(SQLiteError) {
    try database.execute(
      "INSERT OR REPLACE INTO step VALUES (?, ?, ?, ?, ?)", .integer(run), .text(step.name),
      .integer(Int64(step.number)),
      .text(step.result.encoded()), .integer(step.ended))
  }

  package func attachments(of run: Int64) throws(SQLiteError) -> [(title: String, path: String)] {
    try database.query("SELECT title, path FROM attachment WHERE run = ? ORDER BY title, path", .integer(run)).map {
      ($0[0].text ?? "", $0[1].text ?? "")
    }
  }

  package func attach(_ path: String, _ title: String, to run: Int64) throws(SQLiteError) {
    try database.execute(
      "INSERT OR REPLACE INTO attachment VALUES (?, ?, ?)", .integer(run), .text(title), .text(path))
  }

  // MARK: Received requests and files

  /// True if the job has received a request with this ID.
  package func hasHook(_ id: String, of job: String) throws(SQLiteError) -> Bool {
    try database.first("SELECT 1 FROM hook WHERE job = ? AND id = ?", .text(job), .text(id)) != nil
  }

  package func addHook(_ id: String, of job: String, at time: Int64) throws(SQLiteError) {
    try database.execute("INSERT OR REPLACE INTO hook VALUES (?, ?, ?)", .text(job), .text(id), .integer(time))
  }

  package func removeHooks(before time: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM hook WHERE received < ?", .integer(time))
  }

  /// A file that a job has been told of.
  package struct SeenFile: Sendable, Hashable {
    package var inode: Int64
    package var size: Int64
    /// In nanoseconds since 1970.
    package var modified: Int64
  }

  package func files(of job: String) throws(SQLiteError) -> [String: SeenFile] {
    var files: [String: SeenFile] = [:]
    for row in try database.query("SELECT path, inode, size, modified FROM file WHERE job = ?", .text(job)) {
      files[row[0].text ?? ""] = SeenFile(
        inode: row[1].integer ?? 0, size: row[2].integer ?? 0, modified: row[3].integer ?? 0)
    }
    return files
  }

  package func save(_ file: SeenFile, at path: String, of job: String) throws(SQLiteError) {
    try database.execute(
      "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)", .text(job), .text(path), .integer(file.inode),
      .integer(file.size), .integer(file.modified))
  }

  package func removeFile(_ path: String, of job: String) throws(SQLiteError) {
    try database.execute("DELETE FROM file WHERE job = ? AND path = ?", .text(job), .text(path))
  }

  // MARK: History

  /// The rows of a job.
  package func runCount(of job: String) throws(SQLiteError) -> Int {
    Int(try database.first("SELECT count(*) FROM run WHERE job = ?", .text(job))?[0].integer ?? 0)
  }

  /// The oldest run of a job that has ended, and the time of its end.
  package func oldestEnded(of job: String) throws(SQLiteError) -> (id: Int64, ended: Int64)? {
    try database.first(
      """
      SELECT id, coalesce(ended, created) FROM run
      WHERE job = ? AND state NOT IN ('due', 'started', 'retry', 'asleep', 'waiting') ORDER BY id LIMIT 1
      """, .text(job)
    ).map { ($0[0].integer ?? 0, $0[1].integer ?? 0) }
  }

  /// Removes a run with its steps and attachments.
  package func removeRun(_ id: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM run WHERE id = ?", .integer(id))
  }

  /// The names of all jobs that have runs.
  package func jobsWithRuns() throws(SQLiteError) -> [String] {
    try database.query("SELECT DISTINCT job FROM run").map { $0[0].text ?? "" }
  }

  /// Gives free pages back to the file system, at most `pages`.
  package func shrink(pages: Int) throws(SQLiteError) {
    try database.executeScript("PRAGMA incremental_vacuum(\(pages))")
  }
}

extension SQLValue {
  fileprivate static func list(_ texts: [String]) -> SQLValue {
    .text(JSON.array(texts.map { .string($0) }).encoded())
  }

  fileprivate var texts: [String] { JSON(stored: self)?.array?.compactMap(\.string) ?? [] }
}

extension JSON {
  /// The value of a JSON text in the store; nil for null.
  fileprivate init?(stored value: SQLValue) {
    guard let text = value.text, let json = try? JSON(parsing: text) else { return nil }
    self = json
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
  }
}
