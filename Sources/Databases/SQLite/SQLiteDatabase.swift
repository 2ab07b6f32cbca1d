package import HostLoop

/// An SQLite database as `Database`. Its statements wait for the disk on the host's thread.
@HostActor
package final class SQLiteDatabase: Database {
  package nonisolated let dialect = Dialect.sqlite
  package nonisolated let place: String
  /// Nil once it is closed.
  private var connection: SQLiteConnection?
  private let turnstile = Turnstile()

  package init(_ connection: SQLiteConnection) {
    place = connection.path
    self.connection = connection
  }

  package func run(_ sql: String, _ values: [SQLValue]) async throws -> SQLResult {
    try await turnstile.pass { try self.opened().result(of: sql, values) }
  }

  package func runScript(_ sql: String) async throws {
    try await turnstile.pass { try self.opened().executeScript(sql) }
  }

  package func transaction<Result: Sendable>(
    _ body: @HostActor (any Statements) async throws -> Result
  ) async throws -> Result {
    try await turnstile.pass {
      let connection = try self.opened()
      try connection.execute("BEGIN IMMEDIATE")
      do {
        let result = try await body(Transaction(connection))
        try connection.execute("COMMIT")
        return result
      } catch {
        // Some errors have rolled back already; then there is nothing to undo and this one would hide them.
        try? connection.execute("ROLLBACK")
        throw error
      }
    }
  }

  package func close() async {
    // A transaction ends first.
    await turnstile.pass { self.connection = nil }
  }

  private func opened() throws(SQLiteError) -> SQLiteConnection {
    if let connection { return connection }
    throw .closed(place)
  }

  private final class Transaction: Statements {
    let dialect = Dialect.sqlite
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    func run(_ sql: String, _ values: [SQLValue]) async throws -> SQLResult { try connection.result(of: sql, values) }
  }
}

extension SQLiteConnection {
  fileprivate func result(of sql: String, _ values: [SQLValue]) throws(SQLiteError) -> SQLResult {
    let rows = try query(sql, values: values)
    return SQLResult(rows: rows, changes: changes)
  }
}
