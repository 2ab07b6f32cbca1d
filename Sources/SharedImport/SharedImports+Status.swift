import Compression
import Core
import Databases
import HostLoop
package import ImportEngine
import ImportFormats
import JSON
import TaskAPI

/// The state of an import at a moment, as every machine needs it.
struct SharedStatus: Sendable {
  var state = SharedImport.State.open
  var planned: Int?
  /// Nil before the source was read to its end.
  var rows: Int?
  var rate: Double?
  var trouble: String?
  /// Seconds that the server asks all machines to wait.
  var pause = 0.0
  var workers = 1
  var blocks = OpenBlocks()
  /// True if a machine reads the source.
  var hasPlanner = false
  /// The rows of the other machines so far.
  var others = (added: 0, failed: 0)
}

/// The state of an import, and its end.
extension SharedImports {
  /// The state of an import for a worker.
  func status(_ id: String, worker: String) async throws -> SharedStatus? {
    let row = try await database.first(
      """
      SELECT state, planned, rows, rate, trouble,
        CASE WHEN isfinite(pause_until) THEN greatest(0, extract(epoch FROM pause_until - clock_timestamp()))::float8 END
          AS pause,
        (SELECT count(*) FROM worker WHERE import_id = ?1 AND \(SharedSchema.isAlive)) AS workers,
        (SELECT count(*) FROM block WHERE import_id = ?1 AND state = 'free' AND no >= import.low) AS free,
        (SELECT count(*) FROM block WHERE import_id = ?1 AND state = 'claimed' AND no >= import.low) AS claimed,
        (SELECT count(*) FROM block WHERE import_id = ?1 AND state = 'held' AND no >= import.low) AS held,
        low, EXISTS (SELECT 1 FROM lease WHERE name = ?2 AND \(Lease.isTaken(in: .postgresql)))::int AS is_planned,
        added + coalesce((SELECT sum(added) FROM worker WHERE import_id = ?1 AND id <> ?3), 0)::bigint AS others_added,
        failed + coalesce((SELECT sum(failed) FROM worker WHERE import_id = ?1 AND id <> ?3), 0)::bigint AS others_failed
      FROM import WHERE id = ?1
      """, .text(id), .text(Self.plannerLease(id)), .text(worker))
    guard let read = row.map({ reader($0, of: "import") }) else { return nil }
    var status = SharedStatus()
    status.state = try read.importState()
    status.planned = try read.optionalCount("planned")
    let low = try read.count("low")
    guard low <= status.planned ?? low else { throw read.damaged("low", "a number of blocks") }
    status.rows = status.planned == nil ? nil : try read.count("rows")
    status.rate = try read.rowRate()
    status.trouble = try read.optionalText("trouble")
    status.pause = try read.optionalReal("pause", in: 0...Double(RowReader.times.upperBound)) ?? 0
    status.workers = max(1, try read.count("workers"))
    status.blocks.free = try read.count("free")
    status.blocks.claimed = try read.count("claimed")
    status.blocks.held = try read.count("held")
    status.hasPlanner = try read.flag("is_planned")
    status.others.added = try read.count("others_added")
    status.others.failed = try read.count("others_failed")
    return status
  }

  /// Locks the row of an import until the transaction ends. Each transaction does so before it touches blocks, and then
  /// changes the import: the other way round, two of them could wait for each other.
  /// - Returns: its state, the number of its blocks if they are all planned, and `low`; nil if there is no such import.
  static func lock(_ id: String, _ statements: any Statements) async throws -> Row? {
    try await statements.first("SELECT state, planned, low FROM import WHERE id = ? FOR UPDATE", .text(id))
  }

  /// Moves the mark up to which all blocks are done. Without it, each claim would pass over all entries of the index that
  /// were removed since the oldest transaction of the server began.
  func moveLow(_ id: String) async throws {
    try await database.transaction { statements in
      guard let low = try await Self.lock(id, statements)?[2] else { return }
      let next = try await statements.first(
        "SELECT min(no) FROM block WHERE import_id = ? AND state <> 'done' AND no >= ?", .text(id), low)
      guard let next = next?[0], next.integer ?? 0 > low.integer ?? 0 else { return }
      try await statements.execute("UPDATE import SET low = ? WHERE id = ?", next, .text(id))
    }
  }

  /// The number of rows by their outcomes, from the blocks.
  func counts(_ id: String, in statements: (any Statements)? = nil) async throws -> RowCounts {
    let row = try await (statements ?? database).first(
      """
      SELECT coalesce(sum(added), 0)::bigint AS added, coalesce(sum(skipped), 0)::bigint AS skipped,
        coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(unsettled), 0)::bigint AS unsettled,
        coalesce(sum(unknown), 0)::bigint AS unknown
      FROM block WHERE import_id = ?
      """, .text(id))
    guard let read = row.map({ reader($0, of: "block") }) else { return RowCounts() }
    var counts = try read.blockCounts()
    counts.unknown = try read.count("unknown")
    return counts
  }

  /// The number of rows by their outcomes, with those that the source had in earlier imports.
  func totals(_ id: String) async throws -> (state: SharedImport.State, rows: Int?, counts: RowCounts)? {
    let row = try await database.first(
      """
      SELECT state, CASE WHEN planned IS NOT NULL THEN rows END AS rows, added, skipped, failed, unsettled, earlier_added,
        earlier_skipped, earlier_failed, earlier_unsettled FROM import WHERE id = ?
      """, .text(id))
    guard let read = row.map({ reader($0, of: "import") }) else { return nil }
    let state = try read.importState()
    let rows = try read.optionalCount("rows")
    if state == .done { return (state, rows, try read.blockCounts()) }
    let counts = try await self.counts(id)
    return (state, rows, counts + (try read.blockCounts("earlier_")))
  }

  /// The numbers of added rows with each of these texts, read from all blocks.
  func addedCounts(_ id: String, of hashes: Set<UInt64>) async throws -> [UInt64: Int] {
    var counts: [UInt64: Int] = [:]
    var last: Int64 = -1
    while true {
      let found = try await database.query(
        "SELECT no, payload, result, rows FROM block WHERE import_id = ? AND no > ? AND added > 0 ORDER BY no LIMIT 100",
        .text(id), .integer(last))
      guard let end = found.last else { return counts }
      last = try block(end).integer("no", in: RowReader.counts)
      for row in found {
        let read = block(row)
        for (state, entry) in zip(try read.fates("result") ?? [], try Self.rows(read)) {
          guard state == .added, let draft = entry.draft else { continue }
          let hash = StableHash.of(draft.text)
          if hashes.contains(hash) { counts[hash, default: 0] += 1 }
        }
      }
      try Task.checkCancellation()
    }
  }

  /// Ends an import of which all blocks are done and nothing is unknown: its counts and failures stay, and `dropBlocks`
  /// may have its blocks. Returns false if there is more to do, and throws if a block is in a state that no machine writes.
  func finish(_ id: String) async throws -> Bool {
    try await database.transaction { statements in
      guard let found = try await Self.lock(id, statements), found[0] == .text("open"), found[1].integer != nil else {
        return false
      }
      let rest = try await statements.first(
        """
        SELECT no, state FROM block WHERE import_id = ? AND (state <> 'done' OR unknown > 0) ORDER BY state = 'done' LIMIT 1
        """, .text(id))
      if let rest {
        // Nobody would ever work on a block of another state.
        try self.block(rest).checkBlockState()
        return false
      }
      let counts = try await self.counts(id, in: statements)
      // A source that has grown goes on behind the rows of earlier imports.
      try await statements.execute(
        """
        UPDATE import SET state = 'done', added = earlier_added + ?1, skipped = earlier_skipped + ?2,
          failed = earlier_failed + ?3, unsettled = earlier_unsettled + ?4, updated = now() WHERE id = ?5
        """, .integer(Int64(counts.added)), .integer(Int64(counts.skipped)), .integer(Int64(counts.failed)),
        .integer(Int64(counts.unsettled)), .text(id))
      try await statements.execute("UPDATE worker SET added = 0, failed = 0 WHERE import_id = ?", .text(id))
      try await statements.execute("DELETE FROM baseline WHERE import_id = ?", .text(id))
      return true
    }
  }

  /// The import as the command `imports` shows it, with the machines that work on it.
  package func summary(_ found: SharedImport) async throws -> JournalSummary {
    var summary = JournalSummary(
      shortID: String(found.id.prefix(8)), path: place, identity: found.identity, created: found.times.created,
      updated: found.times.updated)
    var state = SharedSummary(id: found.id, rate: found.rate)
    state.workers = try await workers(of: found.id)
    var counts = found.counts
    if found.state == .done {
      summary.isFinished = true
    } else {
      let now = try await self.counts(found.id)
      counts = now
      if let status = try await status(found.id, worker: "") {
        state.blocks = status.blocks
      }
      state.unknown = now.unknown
      state.trouble = found.trouble
    }
    summary.rows = (found.plan.blocks == nil ? nil : found.plan.rows) ?? counts.settled + counts.unknown
    summary.counts = counts
    summary.shared = state
    return summary
  }

  package func summaries() async throws -> [JournalSummary] {
    var summaries: [JournalSummary] = []
    for found in try await list() { summaries.append(try await summary(found)) }
    return summaries
  }
}
