package import Databases
package import HostLoop
package import JobTables

/// The jobs, their runs and what they remember, in an SQLite or PostgreSQL database.
@HostActor
package final class JobStore {
  /// The whole database, or the transaction that goes on.
  let statements: any Statements
  /// Nil within a transaction.
  private let database: (any Database)?
  /// The database as messages name it.
  package nonisolated let place: String
  let damaged: DamagedRows
  /// Seals what other machines do. Nil for a database of one machine, and for a person who only looks.
  let seal: JobSeal?

  init(_ database: any Database, seal: JobSeal? = nil) {
    self.database = database
    self.seal = seal
    statements = database
    place = database.place
    damaged = DamagedRows()
  }

  private init(within transaction: any Statements, of store: JobStore) {
    database = nil
    statements = transaction
    (place, damaged, seal) = (store.place, store.damaged, store.seal)
  }

  /// Opens an SQLite database, or makes it. Throws `SQLiteError`, also for a database of a newer program.
  /// - Parameter mustExist: makes no database.
  package convenience init(path: String, mustExist: Bool = false) throws {
    let connection = try SQLiteConnection(path: path, mustExist: mustExist)
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
  /// - Parameter seal: nil to look only. Without it, nothing that is sealed is checked.
  package static func open(_ database: PostgresDatabase, seal: JobSeal?) async throws -> JobStore {
    try await Lease.migrations.demand(in: database)
    try await migrations.demand(in: database)
    return JobStore(database, seal: seal)
  }

  /// Runs `body` with a store whose changes are on the disk when this returns, all or none of them. Within `body` only that
  /// store may be used.
  package func transaction<Result: Sendable>(
    _ body: @HostActor (JobStore) async throws -> Result
  ) async throws -> Result {
    guard let database else { return try await body(self) }
    return try await database.transaction { try await body(JobStore(within: $0, of: self)) }
  }

  /// Marks the place to which `rollBack` returns, within a transaction.
  func mark() async throws { try await statements.execute("SAVEPOINT turn") }

  /// Keeps what has changed since `mark`.
  func release() async throws { try await statements.execute("RELEASE SAVEPOINT turn") }

  /// Takes back what has changed since `mark`.
  func rollBack() async throws {
    try await statements.execute("ROLLBACK TO SAVEPOINT turn")
    try await release()
  }

  /// The rows that can be read. The others are told of once.
  func readable<Value>(_ rows: [RowReader], _ read: @HostActor (RowReader) throws(DamagedRow) -> Value) -> [Value] {
    damaged.readable(rows, read)
  }

  /// Calls `tell` with the first sight of each row that cannot be read.
  package func onDamage(_ tell: @escaping @HostActor (String) -> Void) { damaged.tell = tell }

  package func close() async { await database?.close() }

  // MARK: Rows

  /// The rows of a statement.
  /// - Parameter key: the columns whose values name a row in messages.
  func rows(
    of table: String, key: [String] = [], _ sql: String, _ values: SQLValue...
  ) async throws -> [RowReader] {
    try await rows(of: table, key: key, sql, values: values)
  }

  func rows(of table: String, key: [String] = [], _ sql: String, values: [SQLValue]) async throws -> [RowReader] {
    try await statements.query(sql, values: values).map { $0.reader(of: table, in: place, key: key) }
  }

  /// The first row of a statement.
  func row(
    of table: String, key: [String] = [], _ sql: String, _ values: SQLValue...
  ) async throws -> RowReader? {
    try await statements.query(sql, values: values).first?.reader(of: table, in: place, key: key)
  }

  /// The rows of runs of a statement.
  func runs(_ sql: String, values: [SQLValue] = []) async throws -> [RunRecord] {
    readable(try await rows(of: "run", key: ["id"], sql, values: values), RunRecord.init)
  }
}
