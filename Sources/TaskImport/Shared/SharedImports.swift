import Compression
import Core
package import Databases
package import HostLoop
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
      let id = JournalRecord.randomID()
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

  private func makePartition(of id: String, _ statements: any Statements) async throws {
    do {
      for statement in try SharedSchema.makePartition(of: id, place) { try await statements.execute(statement) }
    } catch var error as PostgresError where error.kind == .noRights {
      error.hint =
        "each import has a separate table: import as the user who owns the tables, or make this user a member of that one: "
        + "GRANT OWNER TO USER"
      throw error
    }
  }

  /// A finished import goes on, because its source has more rows now. Its `rows` and `digest` are those of the earlier rows
  /// until all are planned, and `low` is the number of their blocks, which are gone.
  func reopen(_ id: String) async throws {
    try await database.transaction { statements in
      guard try await Self.lock(id, statements)?[0] == .text("done") else { return }
      if try await statements.first("SELECT 1 FROM pg_class WHERE oid = to_regclass(?)", .text("block_\(id)")) != nil {
        try await statements.execute("DELETE FROM block WHERE import_id = ?", .text(id))
      } else {
        try await self.makePartition(of: id, statements)
      }
      try await statements.execute(
        """
        UPDATE import SET state = 'open', planned = NULL, low = planned, earlier_added = added, earlier_skipped = skipped,
          earlier_failed = failed, earlier_unsettled = unsettled, updated = now() WHERE id = ?
        """, .text(id))
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

  // MARK: Failures

  package func failures(of id: String, after row: Int, limit: Int = 500) async throws -> [JournalFailure] {
    try await database.query(
      """
      SELECT row, line, code, status, reason, text, is_unsettled, content FROM failure WHERE import_id = ? AND row > ?
      ORDER BY row LIMIT ?
      """, .text(id), .integer(Int64(row)), .integer(Int64(limit))
    ).map { row in
      let read = reader(row, of: "failure")
      return JournalFailure(
        RowFailure(
          row: try read.count("row"), line: try read.optionalCount("line"), reason: try read.text("reason"),
          code: try read.text("code"), status: try read.optionalCount("status"), text: try read.text("text"),
          isUnsettled: try read.flag("is_unsettled")), content: try read.optionalText("content"),
        origin: RowOrigin(journal: id, row: try read.count("row")))
    }
  }

  static func add(_ failures: [JournalFailure], to id: String, _ statements: any Statements) async throws {
    for failure in failures {
      try await statements.execute(
        """
        INSERT INTO failure (import_id, row, line, reason, code, status, text, is_unsettled, content)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (import_id, row) DO UPDATE SET reason = excluded.reason,
          code = excluded.code, status = excluded.status, text = excluded.text, is_unsettled = excluded.is_unsettled
        """, values: [.text(id)] + failure.values)
    }
  }

  // MARK: The tasks before the import

  func setBaseline(_ id: String, total: Int, counts: [UInt64: Int]) async throws {
    try await database.transaction { statements in
      try await statements.execute("DELETE FROM baseline WHERE import_id = ?", .text(id))
      var number: Int64 = 0
      var bytes: [UInt8] = []
      func write() async throws {
        try await statements.execute(
          "INSERT INTO baseline (import_id, batch, hashes) VALUES (?, ?, ?)", .text(id), .integer(number), .blob(bytes))
        number += 1
        bytes = []
      }
      for (hash, count) in counts {
        for _ in 0..<count {
          withUnsafeBytes(of: hash.littleEndian) { bytes.append(contentsOf: $0) }
          if bytes.count >= 64 << 10 { try await write() }
        }
      }
      if !bytes.isEmpty { try await write() }
      try await statements.execute(
        "UPDATE import SET baseline_total = ? WHERE id = ?", .integer(Int64(total)), .text(id))
    }
  }

  func baselineCounts(_ id: String, of hashes: Set<UInt64>) async throws -> [UInt64: Int] {
    var counts: [UInt64: Int] = [:]
    var batch: Int64 = -1
    while let row = try await database.first(
      "SELECT batch, hashes FROM baseline WHERE import_id = ? AND batch > ? ORDER BY batch LIMIT 1", .text(id),
      .integer(batch))
    {
      let read = reader(row, of: "baseline")
      batch = try read.integer("batch", in: RowReader.counts)
      try read.blob("hashes").withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
          let hash = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
          if hashes.contains(hash) { counts[hash, default: 0] += 1 }
        }
      }
    }
    return counts
  }
}

extension ImportError {
  static func sharedGone(_ source: String, _ place: String) -> ImportError {
    ImportError(
      kind: .journalUnknown, message: "the import of \(source) in \(place) was forgotten meanwhile",
      hint: "import it again")
  }

  fileprivate static func busy(_ worker: (machine: String, process: Int), _ place: String) -> ImportError {
    ImportError(
      kind: .journalHeld,
      message: "the machine \(worker.machine) works on this import in \(place), in its process \(worker.process)",
      hint: "wait until it is done, or end it with Ctrl-C", isRetryable: true)
  }

  /// Others have taken over what this machine held.
  static func fenced(_ place: String) -> ImportError {
    ImportError(
      kind: .fenced, message: "this machine was away from \(place) for too long, and others have taken its blocks over",
      hint: "nothing is lost: the import continues", isRetryable: true)
  }
}

extension SharedImports {
  /// Returns a function that reads the failed and unsettled rows of an import, in order of their number.
  package func failureReader(of id: String) -> @HostActor () async throws -> JournalFailure? {
    var rows: ArraySlice<JournalFailure> = []
    var last = 0
    var isAtEnd = false
    return {
      if rows.isEmpty, !isAtEnd {
        rows = try await self.failures(of: id, after: last)[...]
        isAtEnd = rows.isEmpty
      }
      let next = rows.popFirst()
      if let next { last = next.failure.row }
      return next
    }
  }

  /// The import as the command `imports` shows it, with the machines that work on it.
  package func summary(_ found: SharedImport) async throws -> JournalSummary {
    var summary = JournalSummary(
      shortID: String(found.id.prefix(8)), path: place, identity: found.identity, created: found.created,
      updated: found.updated)
    var state = SharedSummary(id: found.id, rate: found.rate)
    state.workers = try await workers(of: found.id)
    var counts = found.counts
    if found.state == .done {
      summary.isFinished = true
    } else {
      let now = try await self.counts(found.id)
      counts = now
      if let status = try await status(found.id, worker: "") {
        (state.free, state.claimed, state.held) = (status.free, status.claimed, status.held)
        state.hasPlanner = status.hasPlanner
        state.pause = status.pause
      }
      state.unknown = now.unknown
      state.trouble = found.trouble
    }
    summary.rows = (found.planned == nil ? nil : found.rows) ?? counts.settled + counts.unknown
    (summary.added, summary.skipped, summary.failed) = (counts.added, counts.skipped, counts.failed)
    (summary.unsettled, summary.sent) = (counts.unsettled, counts.unknown)
    summary.shared = state
    return summary
  }

  package func summaries() async throws -> [JournalSummary] {
    var summaries: [JournalSummary] = []
    for found in try await list() { summaries.append(try await summary(found)) }
    return summaries
  }
}

/// The state of an import that machines share, for people.
package struct SharedSummary: Sendable, Equatable {
  package let id: String
  /// The most rows a second of all machines together; nil for no limit.
  package let rate: Double?
  package var workers: [WorkerSummary] = []
  /// Blocks that wait, that machines work on, and that failed too often.
  package var free = 0
  package var claimed = 0
  package var held = 0
  /// True if a machine reads the source.
  package var hasPlanner = false
  /// Seconds that the server asks all machines to wait.
  package var pause = 0.0
  /// Rows whose fate is found out at the end.
  package var unknown = 0
  package var trouble: String?
}
