import Core
import Databases
import JSON
package import JobCode
package import JobConditions
import JobTables

extension JobStore {
  /// The rows of a job.
  package func runCount(of job: String) async throws -> Int {
    try await row(of: "run", "SELECT count(*) AS runs FROM run WHERE job = ?", .text(job))?.count("runs") ?? 0
  }

  /// The rows of a job in short.
  package struct History: Sendable, Equatable {
    package var count = 0
    /// The end of the run that ended first; nil if none has ended.
    package var firstEnd: Int64?
  }

  /// The histories by the names of all jobs that have runs.
  package func histories() async throws -> [String: History] {
    let rows = try await rows(
      of: "run", key: ["job"],
      """
      SELECT job, count(*) AS runs, min(coalesce(ended, created))
        FILTER (WHERE state NOT IN ('due', 'started', 'retry', 'asleep', 'waiting')) AS first_end FROM run GROUP BY job
      """)
    // Damaged rows count, too. They are told where they are read.
    let histories = try rows.map { read in
      let firstEnd = try read.optionalInteger("first_end", in: RowReader.any)
      return (try read.text("job"), History(count: try read.count("runs"), firstEnd: firstEnd))
    }
    return Dictionary(histories) { $1 }
  }

  /// The oldest run of a job that has ended, and the time of its end.
  package func oldestEnded(of job: String) async throws -> (id: Int64, ended: Int64)? {
    try await row(
      of: "run", key: ["id"],
      """
      SELECT id, coalesce(ended, created) AS ended FROM run
      WHERE job = ? AND state NOT IN ('due', 'started', 'retry', 'asleep', 'waiting') ORDER BY id LIMIT 1
      """, .text(job)
    ).map { (try $0.integer("id", in: RowReader.any), try $0.integer("ended", in: RowReader.any)) }
  }

  /// Removes a run with its steps and attachments.
  package func removeRun(_ id: Int64) async throws {
    try await statements.execute("DELETE FROM run WHERE id = ?", .integer(id))
  }

  // MARK: Code

  /// The code that a run continues with, and the permissions that it began with.
  package struct KeptCode: Sendable {
    package var code: RunCode
    package var permissions: [String]
  }

  /// Keeps the code of a run. Runs with the same code share one row.
  package func keep(_ code: RunCode, _ permissions: [String], of run: Int64) async throws {
    let text = code.text
    let digest = RunCode.digest(of: text)
    try await statements.execute(
      "INSERT INTO code (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING", .text(digest), .text(text))
    try await link(run, to: digest, permissions)
  }

  private func link(_ run: Int64, to digest: String, _ permissions: [String]) async throws {
    try await statements.execute(
      """
      INSERT INTO run_code (run, digest, permissions, seal) VALUES (?, ?, ?, ?) ON CONFLICT (run) DO UPDATE SET
        digest = excluded.digest, permissions = excluded.permissions, seal = excluded.seal
      """, .integer(run), .text(digest), .list(permissions),
      SQLValue(seal?.seal(Self.sealed(run, digest, permissions))))
  }

  /// Somebody with the key has made this run begin with this code.
  private static func sealed(_ run: Int64, _ digest: String, _ permissions: [String]) -> [String] {
    ["code", String(run), digest] + permissions
  }

  /// The code of a run; nil if none is kept. Code that somebody else has written into the database does not count.
  package func keptCode(of run: Int64) async throws -> KeptCode? {
    let row = try await row(
      of: "run_code", key: ["run"],
      "SELECT run, run_code.digest, permissions, seal, content FROM run_code JOIN code USING (digest) WHERE run = ?",
      .integer(run))
    guard let row else { return nil }
    let (digest, permissions, text) = (try row.text("digest"), try row.texts("permissions"), try row.text("content"))
    let isSealed = seal.map { $0.holds(try? row.optionalText("seal"), Self.sealed(run, digest, permissions)) } ?? true
    guard isSealed, RunCode.digest(of: text) == digest, let code = RunCode(try? JSON(parsing: text)) else {
      damaged.note(
        JobError(
          "not_sealed", "nobody with the key of the machines has kept the code of the run \(run)",
          hint: "b2c-run jobs move \(run) --to-current"), at: place)
      return nil
    }
    return KeptCode(code: code, permissions: permissions)
  }

  package func hasCode(_ run: Int64) async throws -> Bool {
    try await statements.first("SELECT 1 FROM run_code WHERE run = ?", .integer(run)) != nil
  }

  /// Lets a run continue with the code of its files.
  func forgetCode(of run: Int64) async throws {
    try await statements.execute("DELETE FROM run_code WHERE run = ?", .integer(run))
    try await removeUnusedCode()
  }

  /// Removes the code that no run has any more.
  func removeUnusedCode() async throws {
    try await statements.execute(
      "DELETE FROM code WHERE NOT EXISTS (SELECT 1 FROM run_code WHERE run_code.digest = code.digest)")
  }

  // MARK: Settings

  /// A value that holds for all jobs; nil if there is none.
  func setting(_ name: String) async throws -> JSON? {
    try await row(of: "setting", key: ["name"], "SELECT * FROM setting WHERE name = ?", .text(name))?.json("value")
  }

  func set(_ name: String, to value: JSON) async throws {
    try await statements.execute(
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      .text(name), .text(value.encoded()))
  }

  package func hostPause() async throws -> HostPause { HostPause(try await setting(HostPause.setting)) }

  package func save(_ pause: HostPause) async throws { try await set(HostPause.setting, to: pause.json) }

  /// The names of all jobs that have runs.
  package func jobsWithRuns() async throws -> [String] {
    try await rows(of: "run", "SELECT DISTINCT job FROM run").map { try $0.text("job") }
  }

  /// Gives free pages back to the file system, at most `pages`. PostgreSQL does that by itself.
  package func shrink(pages: Int) async throws {
    guard statements.dialect == .sqlite else { return }
    try await statements.execute("PRAGMA incremental_vacuum(\(pages))")
  }
}
