import SQL
import Storage

extension JobStore {
  /// The rows of a job.
  package func runCount(of job: String) async throws -> Int {
    Int(try await statements.first("SELECT count(*) FROM run WHERE job = ?", .text(job))?[0].integer ?? 0)
  }

  /// The rows of a job in short.
  package struct History: Sendable, Equatable {
    package var count = 0
    /// The end of the run that ended first; nil if none has ended.
    package var firstEnd: Int64?
  }

  /// The histories by the names of all jobs that have runs.
  package func histories() async throws -> [String: History] {
    let rows = try await statements.query(
      """
      SELECT job, count(*), min(coalesce(ended, created))
        FILTER (WHERE state NOT IN ('due', 'started', 'retry', 'asleep', 'waiting')) FROM run GROUP BY job
      """)
    return Dictionary(
      rows.map { ($0[0].text ?? "", History(count: Int($0[1].integer ?? 0), firstEnd: $0[2].integer)) }
    ) { $1 }
  }

  /// The oldest run of a job that has ended, and the time of its end.
  package func oldestEnded(of job: String) async throws -> (id: Int64, ended: Int64)? {
    try await statements.first(
      """
      SELECT id, coalesce(ended, created) FROM run
      WHERE job = ? AND state NOT IN ('due', 'started', 'retry', 'asleep', 'waiting') ORDER BY id LIMIT 1
      """, .text(job)
    ).map { ($0[0].integer ?? 0, $0[1].integer ?? 0) }
  }

  /// Removes a run with its steps and attachments.
  package func removeRun(_ id: Int64) async throws {
    try await statements.execute("DELETE FROM run WHERE id = ?", .integer(id))
  }

  /// The names of all jobs that have runs.
  package func jobsWithRuns() async throws -> [String] {
    try await statements.query("SELECT DISTINCT job FROM run").map { $0[0].text ?? "" }
  }

  /// Gives free pages back to the file system, at most `pages`. PostgreSQL does that by itself.
  package func shrink(pages: Int) async throws {
    guard statements.dialect == .sqlite else { return }
    try await statements.execute("PRAGMA incremental_vacuum(\(pages))")
  }
}
