import Compression
import Core
package import Databases
package import HostLoop
package import ImportEngine
import ImportFormats
package import JSON

/// The imports of a database that several machines share. It has statements only; `SharedRun` decides.
@HostActor
package final class SharedImports {
  package nonisolated let database: any Database
  /// The rows that cannot be read.
  package let damaged: DamagedRows

  package init(_ database: any Database, damaged: DamagedRows = DamagedRows()) {
    self.database = database
    self.damaged = damaged
  }

  package func close() async { await database.close() }

  /// The same imports by a connection of their own: the statements of one connection wait for each other's commits.
  func another() -> SharedImports {
    (database as? PostgresDatabase).map {
      SharedImports(PostgresDatabase($0.address), damaged: damaged)
    } ?? self
  }

  package nonisolated var place: String { database.place }

  nonisolated func reader(_ row: Row, of table: String) -> RowReader { row.reader(of: table, in: place) }

  nonisolated func block(_ row: Row) -> RowReader { row.reader(of: "block", in: place, key: ["no"]) }

  nonisolated func worker(_ row: Row) -> RowReader { row.reader(of: "worker", in: place, key: ["id"]) }

  nonisolated func record(_ row: Row) -> RowReader { row.reader(of: "import", in: place, key: ["source"]) }

  private nonisolated func shared(_ row: Row) throws(DamagedRow) -> SharedImport { try SharedImport(record(row)) }

  /// Checks the schema, and makes it in a database without.
  package func prepare() async throws {
    guard database.dialect == .postgresql else {
      throw ImportError.journalUnusable(
        "imports are shared in PostgreSQL only", hint: "give a database with --store", path: place)
    }
    try await Lease.migrations.demand(in: database)
    try await SharedSchema.migrations.demand(in: database)
  }

  // MARK: Imports

  package func list() async throws -> [SharedImport] {
    let rows = try await database.query("SELECT \(SharedImport.columns) FROM import ORDER BY updated DESC, id")
    return damaged.readable(rows.map(record), SharedImport.init)
  }

  package func load(_ id: String) async throws -> SharedImport? {
    try await database.first("SELECT \(SharedImport.columns) FROM import WHERE id = ?", .text(id)).map(shared)
  }

  package func find(_ identity: ImportIdentity) async throws -> SharedImport? {
    try await database.first(
      "SELECT \(SharedImport.columns) FROM import WHERE source = ? AND account = ? AND api = ?", .text(identity.source),
      .text(identity.account), .text(identity.api)
    ).map(shared)
  }

  /// The import of that source, account and API; it is made if there is none. An import that stopped is open again.
  /// - Parameters:
  ///   - options: the options for all machines. While others work on the import, theirs stay.
  ///   - rate: the most rows a second of all machines; nil to leave it, or for no limit.
  package func open(
    _ identity: ImportIdentity, place: JSON, options: JSON, rate: Double?
  ) async throws -> SharedImport {
    try await database.transaction { statements in
      let id = ImportID.random()
      let isNew =
        try await statements.execute(
          """
          INSERT INTO import (id, source, account, account_name, api, place, options, state, rate)
          VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?) ON CONFLICT (source, account, api) DO NOTHING
          """,
          values: [
            .text(id), .text(identity.source), .text(identity.account), .text(identity.accountName),
            .text(identity.api), .text(place.encoded()), .text(options.encoded()), .init(rate),
          ]) == 1
      if isNew { try await self.makePartition(of: id, statements) }
      let row = try await statements.first(
        "SELECT \(SharedImport.columns) FROM import WHERE source = ? AND account = ? AND api = ? FOR UPDATE",
        .text(identity.source), .text(identity.account), .text(identity.api))
      guard var found = try row.map(self.shared) else {
        throw ImportError.sharedGone(identity.sourceName, self.place)
      }
      found.isJoined = try await self.worker(of: found.id, statements) != nil
      if !found.isJoined {
        try await statements.execute(
          """
          UPDATE import SET state = CASE WHEN state = 'stopped' THEN 'open' ELSE state END, trouble = NULL,
            updated = now(), place = ?, options = ?, rate = ? WHERE id = ?
          """, .text(place.encoded()), .text(options.encoded()), .init(rate), .text(found.id))
        (found.place, found.options, found.rate) = (place, options, rate)
        if found.state == .stopped { found.state = .open }
      } else if let rate {
        try await statements.execute("UPDATE import SET rate = ? WHERE id = ?", .real(rate), .text(found.id))
        found.rate = rate
      }
      // A block that failed too often gets another chance.
      try await statements.execute(
        "UPDATE block SET state = 'free', attempts = 0 WHERE import_id = ? AND state = 'held'", .text(found.id))
      return found
    }
  }

  func makePartition(of id: String, _ statements: any Statements) async throws {
    do {
      for statement in try SharedSchema.makePartition(of: id, place) { try await statements.execute(statement) }
    } catch var error as PostgresError where error.kind == .noRights {
      error.hint =
        "each import has a separate table: import as the user who owns the tables, or make this user a member of that one: "
        + "GRANT OWNER TO USER"
      throw error
    }
  }

  /// Forgets an import: its rows would be imported once more. Throws `journal_held` while a machine works on it.
  package func forget(_ id: String) async throws {
    try await database.transaction { statements in
      _ = try await Self.lock(id, statements)
      if let worker = try await self.worker(of: id, statements) { throw ImportError.busy(worker, self.place) }
      try await statements.execute("DELETE FROM import WHERE id = ?", .text(id))
    }
    try await dropBlocks()
  }

  /// A live worker of the import: its machine and its process.
  private func worker(of id: String, _ statements: any Statements) async throws -> (
    machine: String, process: Int
  )? {
    try await statements.first(
      "SELECT machine, process FROM worker WHERE import_id = ? AND \(SharedSchema.isAlive) LIMIT 1", .text(id)
    ).map {
      let read = self.worker($0)
      return (try read.text("machine"), try read.count("process"))
    }
  }

  /// Drops the blocks of imports that are done or forgotten. Blocks that somebody reads, such as a backup, are left for
  /// the next call: nobody waits for that.
  func dropBlocks() async throws {
    let ids = try await database.query(
      """
      SELECT substr(relname, 7) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'block'::regclass AND NOT EXISTS (
        SELECT 1 FROM import WHERE 'block_' || id = relname AND state <> 'done')
      """
    ).compactMap(\.[0].text)
    for id in ids {
      do {
        try await database.transaction { statements in
          try await statements.execute("SET LOCAL lock_timeout = 50")
          if let state = try await Self.lock(id, statements)?[0], state != .text("done") { return }
          try await statements.execute(try SharedSchema.dropPartition(of: id, self.place))
        }
      } catch let error as PostgresError where error.kind == .conflict {}
    }
  }

  func setHonorsKey(_ honors: Bool, _ id: String) async throws {
    try await database.execute(
      "UPDATE import SET honors_key = ? WHERE id = ?", .integer(honors ? 1 : 0), .text(id))
  }

  /// The server asks all machines to wait.
  func pause(_ id: String, seconds: Double) async throws {
    try await database.execute(
      """
      UPDATE import SET pause_until = greatest(coalesce(pause_until, now()), now() + make_interval(secs => ?1))
      WHERE id = ?2
      """, .real(seconds), .text(id))
  }

  /// Ends the import for all machines.
  func stop(_ id: String, because trouble: String) async throws {
    try await database.execute(
      "UPDATE import SET state = 'stopped', trouble = ?, updated = now() WHERE id = ? AND state = 'open'",
      .text(trouble), .text(id))
  }
}
