import HostLoop

/// A right that one owner has at a time, over all machines of a database. It ends by itself when its owner does not renew
/// it, by the clock of the database. The epoch grows with each owner, so that a late write of an earlier one is found out.
package struct Lease: Sendable, Equatable {
  package let name: String
  /// Unique to its holder: an owner who has lost the answer of `take` does not get the lease a second time.
  package let owner: String
  package let epoch: Int64

  /// The table of leases, which every part of a database shares.
  package static let migrations = Migrations(
    "leases",
    [
      [
        """
        CREATE TABLE lease (name TEXT PRIMARY KEY, owner TEXT NOT NULL, epoch BIGINT NOT NULL,
          until DOUBLE PRECISION NOT NULL)
        """
      ]
    ])

  /// No lease lasts longer than an hour. One that does was written by somebody else, or before the clock of the database
  /// was set back, and would keep everybody out. In PostgreSQL, NaN is larger than all numbers.
  package static let longest = 3600

  /// The condition of a lease that somebody has.
  /// - Parameter table: the name of the table in the statement.
  package static func isTaken(_ table: String = "lease", in dialect: Dialect) -> String {
    "(\(table).until > \(dialect.now) AND \(table).until <= \(dialect.now) + \(longest))"
  }

  /// Takes the lease for so many seconds, at most an hour. Returns nil while another owner has it; it is not waited for.
  @HostActor
  package static func take(
    _ name: String, owner: String, seconds: Double, in statements: any Statements
  ) async throws -> Lease? {
    let now = statements.dialect.now
    let row = try await statements.first(
      """
      INSERT INTO lease (name, owner, epoch, until) VALUES (?1, ?2, 1, \(now) + ?3)
      ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, epoch = lease.epoch + 1, until = excluded.until
        WHERE NOT \(isTaken(in: statements.dialect))
      RETURNING epoch
      """, .text(name), .text(owner), .real(seconds))
    return row?[0].integer.map { Lease(name: name, owner: owner, epoch: $0) }
  }

  /// Keeps the lease for so many seconds from now. Returns false if it is lost, also if it has ended and nobody took it.
  @HostActor
  package func renew(seconds: Double, in statements: any Statements) async throws -> Bool {
    let now = statements.dialect.now
    return try await statements.execute(
      "UPDATE lease SET until = \(now) + ?1 WHERE name = ?2 AND owner = ?3 AND epoch = ?4 AND until > \(now)",
      .real(seconds), .text(name), .text(owner), .integer(epoch)) == 1
  }

  /// Gives the lease back. Nothing happens if it is lost.
  @HostActor
  package func release(in statements: any Statements) async throws {
    try await statements.execute(
      "UPDATE lease SET until = 0 WHERE name = ? AND owner = ? AND epoch = ?", .text(name), .text(owner),
      .integer(epoch))
  }

  /// Removes a lease, held or not, whose purpose is gone.
  @HostActor
  package static func remove(_ name: String, in statements: any Statements) async throws {
    try await statements.execute("DELETE FROM lease WHERE name = ?", .text(name))
  }

  /// Returns true if the lease is still held, and, in a transaction, keeps others from taking it until the transaction
  /// ends. A write that depends on the lease is in the same transaction.
  @HostActor
  package func isHeld(in statements: any Statements) async throws -> Bool {
    try await statements.execute(
      "UPDATE lease SET epoch = epoch WHERE name = ? AND owner = ? AND epoch = ? AND until > \(statements.dialect.now)",
      .text(name), .text(owner), .integer(epoch)) == 1
  }
}

extension Dialect {
  /// The database's time in Unix seconds, with a fraction, as an expression. It goes on within a transaction.
  package var now: String {
    switch self {
    // The function unixepoch has no fraction before SQLite 3.42.
    case .sqlite: "((julianday('now') - 2440587.5) * 86400.0)"
    case .postgresql: "(extract(epoch FROM clock_timestamp())::float8)"
    }
  }
}
