import Databases

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
