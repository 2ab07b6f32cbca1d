package import HostLoop

/// Runs statements of SQL. Placeholders of values are `?`, or `?1`, `?2` and so on if a value is used twice; statements
/// are in the language that SQLite 3.40 and PostgreSQL 15 share, unless `dialect` is asked.
@HostActor
package protocol Statements: AnyObject, Sendable {
  nonisolated var dialect: Dialect { get }
  /// Runs one statement. Throws `DatabaseError`.
  func run(_ sql: String, _ values: [SQLValue]) async throws -> SQLResult
}

/// A database that stores what outlives a run. Statements of one database run one after the other. They wait without
/// blocking the host's thread, as far as the engine can.
@HostActor
package protocol Database: Statements {
  /// The file, or the address without a password, as messages name it.
  nonisolated var place: String { get }
  /// Runs several statements without values, separated by semicolons, outside of a transaction.
  func runScript(_ sql: String) async throws
  /// Runs `body` in a transaction, whose statements alone run meanwhile: all of its changes are kept, or none when it
  /// throws. When this returns, the changes are as durable as the engine makes them.
  func transaction<Result: Sendable>(_ body: @HostActor (any Statements) async throws -> Result) async throws -> Result
  /// Closes the connection. Later calls throw.
  func close() async
}

/// The engine of a database, for the few statements that differ.
package enum Dialect: Sendable {
  case sqlite
  case postgresql
}

extension Statements {
  /// Runs one statement and returns the number of changed rows.
  @discardableResult
  package func execute(_ sql: String, _ values: SQLValue...) async throws -> Int { try await run(sql, values).changes }

  @discardableResult
  package func execute(_ sql: String, values: [SQLValue]) async throws -> Int { try await run(sql, values).changes }

  /// Runs one statement and returns all its rows.
  package func query(_ sql: String, _ values: SQLValue...) async throws -> [Row] { try await run(sql, values).rows }

  package func query(_ sql: String, values: [SQLValue]) async throws -> [Row] { try await run(sql, values).rows }

  /// The first row of a statement's result.
  package func first(_ sql: String, _ values: SQLValue...) async throws -> Row? {
    try await run(sql, values).rows.first
  }
}
