package import HostLoop
import SQL
import SQLite
package import Storage

/// The jobs, their runs and what they remember, in an SQLite or PostgreSQL database.
@HostActor
package final class JobStore {
  /// The whole database, or the transaction that goes on.
  let statements: any Statements
  /// Nil within a transaction.
  private let database: (any Database)?

  private init(_ database: any Database) {
    self.database = database
    statements = database
  }

  private init(within transaction: any Statements) {
    database = nil
    statements = transaction
  }

  /// Opens an SQLite database, or makes it. Throws `SQLiteError`, also for a database of a newer program.
  /// - Parameter mustExist: makes no database.
  package convenience init(path: String, mustExist: Bool = false) throws {
    let connection = try Connection(path: path, mustExist: mustExist)
    if try connection.first("PRAGMA user_version")?[0].integer == 0, !mustExist {
      // Removed history makes the file smaller. The mode has to be set before the first table is made.
      try connection.executeScript("PRAGMA auto_vacuum = INCREMENTAL; VACUUM;")
    }
    // Due times and received requests survive a power cut.
    try connection.executeScript("PRAGMA synchronous = FULL;")
    try connection.migrate(JobSchema.sqlite)
    self.init(SQLiteDatabase(connection))
  }

  package static func inMemory() throws -> JobStore { try JobStore(path: ":memory:") }

  /// The tables of PostgreSQL databases.
  package nonisolated static let migrations = JobSchema.postgresql

  /// Opens a PostgreSQL database, and makes the tables if there are none. Throws `SchemaError` for tables of another version.
  package static func open(_ database: PostgresDatabase) async throws -> JobStore {
    try await Lease.migrations.demand(in: database)
    try await migrations.demand(in: database)
    return JobStore(database)
  }

  /// The database as messages name it.
  package var place: String { database?.place ?? "" }

  /// Runs `body` with a store whose changes are on the disk when this returns, all or none of them. Within `body` only that
  /// store may be used.
  package func transaction<Result: Sendable>(
    _ body: @HostActor (JobStore) async throws -> Result
  ) async throws -> Result {
    guard let database else { return try await body(self) }
    return try await database.transaction { try await body(JobStore(within: $0)) }
  }

  package func close() async { await database?.close() }
}
