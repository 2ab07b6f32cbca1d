import Compression
import Databases
import HostLoop
import TaskAPI

/// A block that the planner has made and that is not in the database yet.
struct PlannedBlock: Sendable {
  let number: Int
  let rows: [BlockRow]
  /// The fates that are known without sending: skipped, and failed.
  let states: [RowState]
  let failures: [JournalFailure]
  /// The digest of the fingerprints.
  let digest: UInt64

  var firstRow: Int { rows.first?.number ?? 0 }

  static func digest(of rows: [BlockRow], after start: UInt64 = 0) -> UInt64 {
    var hash = StableHash()
    hash.add(bytesOf: start)
    for row in rows { hash.add(bytesOf: row.fingerprint) }
    return hash.value
  }
}

extension StableHash {
  fileprivate mutating func add(bytesOf number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { if let base = $0.baseAddress { add(base, 8) } }
  }
}

/// The place of a block in the source, for a planner that goes on.
struct KnownBlock: Sendable {
  let number: Int
  let firstRow: Int
  let rows: Int
  let digest: UInt64
}

/// The state of an import at a moment, as every machine needs it.
struct SharedStatus: Sendable {
  var state = SharedImport.State.open
  var planned: Int?
  /// Nil before the source was read to its end.
  var rows: Int?
  var rate: Double?
  var honorsKey: Bool?
  var trouble: String?
  /// Seconds that the server asks all machines to wait.
  var pause = 0.0
  var workers = 1
  var free = 0
  var claimed = 0
  var held = 0
  /// The machine that reads the source; nil if none does.
  var hasPlanner = false
  /// The rows of the other machines so far.
  var othersAdded = 0
  var othersFailed = 0

  var open: Int { free + claimed + held }
}

extension SharedImports {
  /// A larger block is damaged: one of 500 rows has a few megabytes.
  private static let largestPayload = 64 << 20
  static let mostRows = 500

  static func plannerLease(_ id: String) -> String { "planner/\(id)" }
  static func settleLease(_ id: String) -> String { "settle/\(id)" }

  // MARK: Planning

  /// The blocks behind that number, in order.
  func knownBlocks(_ id: String, after number: Int, limit: Int = 500) async throws -> [KnownBlock] {
    try await database.query(
      "SELECT no, first_row, rows, digest FROM block WHERE import_id = ? AND no > ? ORDER BY no LIMIT ?", .text(id),
      .integer(Int64(number)), .integer(Int64(limit))
    ).map { row in
      let read = block(row)
      return KnownBlock(
        number: try read.count("no"), firstRow: try read.count("first_row"),
        rows: Int(try read.integer("rows", in: 1...Int64(Self.mostRows))), digest: try read.digest("digest"))
    }
  }

  /// Adds blocks. Throws `fenced` if another planner has taken over.
  func add(_ blocks: [PlannedBlock], to id: String, _ lease: Lease) async throws {
    let payloads = try blocks.map { try Compressor.compress(BlockPayload.encode($0.rows), .zstd) }
    try await database.transaction { statements in
      guard try await lease.isHeld(in: statements) else { throw ImportError.fenced(self.place) }
      var values: [SQLValue] = []
      for (block, payload) in zip(blocks, payloads) {
        let counts = block.states.counts
        let isDone = block.states.allSatisfy { $0 != .pending }
        values += [
          .text(id), .integer(Int64(block.number)), .text(isDone ? "done" : "free"), .integer(Int64(block.firstRow)),
          .integer(Int64(block.rows.count)), .integer(Int64(bitPattern: block.digest)), .blob(payload),
          counts == BlockCounts() ? .null : .blob(block.states.bytes), .integer(Int64(counts.skipped)),
          .integer(Int64(counts.failed)),
        ]
      }
      let marks = blocks.map { _ in "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" }.joined(separator: ", ")
      try await statements.execute(
        """
        INSERT INTO block (import_id, no, state, first_row, rows, digest, payload, result, skipped, failed)
        VALUES \(marks) ON CONFLICT (import_id, no) DO NOTHING
        """, values: values)
      for block in blocks { try await Self.add(block.failures, to: id, statements) }
    }
  }

  /// The source was read to its end.
  func endPlan(_ id: String, blocks: Int, rows: Int, digest: UInt64, _ lease: Lease) async throws {
    try await database.transaction { statements in
      guard try await lease.isHeld(in: statements) else { throw ImportError.fenced(self.place) }
      try await statements.execute(
        "UPDATE import SET planned = ?, rows = ?, digest = ?, updated = now() WHERE id = ?", .integer(Int64(blocks)),
        .integer(Int64(rows)), .integer(Int64(bitPattern: digest)), .text(id))
    }
  }

  // MARK: Working

  /// Claims the next free blocks for a worker. None come back if there are none, or if the worker is fenced.
  /// - Parameter known: the rows of blocks that this machine has planned itself, which need not come from the database.
  func claim(
    _ most: Int, _ id: String, worker: String, honorsKey: Bool, known: [Int: [BlockRow]] = [:]
  ) async throws -> [HeldBlock] {
    let rows = try await database.query(
      """
      WITH next AS (
        SELECT no, intent FROM block WHERE import_id = ?1 AND state = 'free'
          AND no >= (SELECT low FROM import WHERE id = ?1) ORDER BY no LIMIT ?2
        FOR UPDATE SKIP LOCKED
      )
      UPDATE block SET state = 'claimed', owner = ?3, epoch = epoch + 1, attempts = attempts + 1,
        claimed = coalesce(block.claimed, now()), intent = CASE WHEN ?4::int = 1 THEN block.rows ELSE block.intent END
      FROM next WHERE block.import_id = ?1 AND block.no = next.no AND EXISTS (SELECT 1 FROM worker WHERE id = ?3)
      RETURNING block.no, block.epoch, block.first_row,
        CASE WHEN block.no = ANY (string_to_array(?5, ',')::bigint[]) THEN NULL ELSE block.payload END AS payload,
        block.result, next.intent, extract(epoch FROM block.claimed)::float8 AS claimed, block.rows
      """, .text(id), .integer(Int64(most)), .text(worker), .integer(honorsKey ? 1 : 0),
      .text(known.keys.map(String.init).joined(separator: ",")))
    return try await usable(rows, id, worker: worker) { read throws(DamagedRow) in
      try held(read, honorsKey: honorsKey, known)
    }
  }

  /// The blocks that can be read. The others are held, so that they stop nobody.
  private func usable(
    _ rows: [Row], _ id: String, worker: String, _ held: (RowReader) throws(DamagedRow) -> HeldBlock
  ) async throws -> [HeldBlock] {
    var blocks: [HeldBlock] = []
    for row in rows {
      do { blocks.append(try held(block(row))) } catch {
        damaged.note(error, at: place)
        try await database.execute(
          "UPDATE block SET state = 'held', owner = NULL WHERE import_id = ? AND no = ? AND owner = ?", .text(id),
          row["no"], .text(worker))
      }
    }
    return blocks.sorted { $0.number < $1.number }
  }

  /// Gives back blocks that the worker has claimed without hearing of it, because the answer got lost. None of their rows
  /// was sent.
  func giveBackUnheld(_ held: [Int], _ id: String, worker: String) async throws {
    let marks = held.isEmpty ? "" : " AND no NOT IN (\(held.map { _ in "?" }.joined(separator: ", ")))"
    try await database.execute(
      """
      UPDATE block SET state = 'free', owner = NULL, attempts = attempts - 1
      WHERE import_id = ? AND owner = ? AND state = 'claimed'\(marks)
      """, values: [.text(id), .text(worker)] + held.map { .integer(Int64($0)) })
  }

  /// Claims done blocks with rows of unknown fate. Nobody works on the import meanwhile.
  func claimUnknown(_ most: Int, _ id: String, worker: String, _ lease: Lease) async throws -> [HeldBlock] {
    let rows: [Row] = try await database.transaction { statements in
      guard try await lease.isHeld(in: statements), try await Self.lock(id, statements) != nil,
        try await statements.first(
          "SELECT 1 FROM block WHERE import_id = ? AND state <> 'done' LIMIT 1", .text(id)) == nil
      else { return [] }
      let rows = try await statements.query(
        """
        UPDATE block SET state = 'claimed', owner = ?1, epoch = epoch + 1
        WHERE import_id = ?2 AND no IN (SELECT no FROM block WHERE import_id = ?2 AND unknown > 0 ORDER BY no LIMIT ?3)
          AND EXISTS (SELECT 1 FROM worker WHERE id = ?1)
        RETURNING no, epoch, first_row, payload, result, intent,
          coalesce(extract(epoch FROM claimed), 0)::float8 AS claimed, rows
        """, .text(worker), .text(id), .integer(Int64(most)))
      // If this worker dies, the blocks are free again, below the mark up to which all are done.
      if let first = rows.compactMap(\.[0].integer).min() {
        try await statements.execute("UPDATE import SET low = least(low, ?) WHERE id = ?", .integer(first), .text(id))
      }
      return rows
    }
    return try await usable(rows, id, worker: worker) { read throws(DamagedRow) in try held(read, honorsKey: false) }
  }

  private func held(
    _ read: RowReader, honorsKey: Bool, _ known: [Int: [BlockRow]] = [:]
  ) throws(DamagedRow) -> HeldBlock {
    let number = try read.count("no")
    let count = try read.count("rows")
    let firstRow = try read.count("first_row")
    let rows = if let known = known[number] { known } else { try Self.rows(read) }
    guard rows.count == count, BlockPayload.begins(rows, at: firstRow) else {
      throw read.damaged("payload", "the \(count) rows from row \(firstRow)")
    }
    let states = try read.fates("result") ?? Array(repeating: .pending, count: count)
    guard states.count == count else { throw read.damaged("result", "the fates of \(count) rows") }
    let intent = Int(try read.integer("intent", in: 0...Int64(count)))
    let block = HeldBlock(
      number: number, epoch: Int(try read.integer("epoch", in: RowReader.counts)), firstRow: firstRow, rows: rows,
      states: states, claimed: Int(try read.preciseTime("claimed")), intent: intent)
    block.intent = honorsKey ? count : intent
    return block
  }

  private static func rows(_ read: RowReader) throws(DamagedRow) -> [BlockRow] {
    let count = Int(try read.integer("rows", in: 1...Int64(mostRows)))
    let payload = try read.blob("payload")
    guard let bytes = try? Decompressor.decompress(payload, .zstd, limit: largestPayload),
      let rows = BlockPayload.decode(bytes, count: count)
    else { throw read.damaged("payload", "\(count) rows") }
    return rows
  }

  /// Writes before they are sent that these rows may be. Throws `fenced` if a block is somebody else's now.
  func writeIntents(_ blocks: [HeldBlock], _ intents: [Int], _ id: String, worker: String) async throws {
    let values = zip(blocks, intents).flatMap { block, intent -> [SQLValue] in
      [.integer(Int64(block.number)), .integer(Int64(block.epoch)), .integer(Int64(intent))]
    }
    let marks = blocks.map { _ in "(?::bigint, ?::bigint, ?::int)" }.joined(separator: ", ")
    let changed = try await database.execute(
      """
      UPDATE block SET intent = v.intent FROM (VALUES \(marks)) AS v (no, epoch, intent)
      WHERE block.import_id = ? AND block.owner = ? AND block.no = v.no AND block.epoch = v.epoch
      """, values: values + [.text(id), .text(worker)])
    guard changed == blocks.count else { throw ImportError.fenced(place) }
  }

  /// A block's outcomes, to be written.
  struct Outcome: Sendable {
    /// The state of the block afterwards.
    enum End: String, Sendable { case claimed, done, free }

    let number: Int
    let epoch: Int
    let states: [RowState]
    let failures: [JournalFailure]
    let end: End
  }

  /// Writes outcomes. Returns the numbers of the blocks that are still this worker's; the others are forgotten by it.
  func write(_ outcomes: [Outcome], _ id: String, worker: String) async throws -> Set<Int> {
    var values: [SQLValue] = []
    for outcome in outcomes {
      let counts = outcome.states.counts
      values += [
        .integer(Int64(outcome.number)), .integer(Int64(outcome.epoch)), .text(outcome.end.rawValue),
        .blob(outcome.states.bytes), .integer(Int64(counts.added)), .integer(Int64(counts.skipped)),
        .integer(Int64(counts.failed)), .integer(Int64(counts.unsettled)), .integer(Int64(counts.unknown)),
      ]
    }
    let row = "(?::bigint, ?::bigint, ?::text, ?::bytea, ?::int, ?::int, ?::int, ?::int, ?::int)"
    let marks = outcomes.map { _ in row }.joined(separator: ", ")
    // A block that is given back keeps its fates, and no row of it is under way any more.
    let update = """
      UPDATE block SET state = v.state, result = v.result, added = v.added, skipped = v.skipped, failed = v.failed,
        unsettled = v.unsettled, unknown = v.unknown,
        intent = CASE WHEN v.state = 'claimed' THEN intent ELSE 0 END,
        attempts = CASE WHEN v.state = 'free' THEN attempts - 1 ELSE attempts END,
        owner = CASE WHEN v.state = 'free' THEN NULL ELSE owner END
      FROM (VALUES \(marks)) AS v (no, epoch, state, result, added, skipped, failed, unsettled, unknown)
      WHERE block.import_id = ? AND block.owner = ? AND block.no = v.no AND block.epoch = v.epoch RETURNING block.no
      """
    values += [.text(id), .text(worker)]
    let numbers = { (rows: [Row]) in Set(rows.compactMap { $0[0].integer.map { Int($0) } }) }
    guard outcomes.contains(where: { !$0.failures.isEmpty }) else {
      return numbers(try await database.query(update, values: values))
    }
    return try await database.transaction { [values] statements in
      let written = numbers(try await statements.query(update, values: values))
      for outcome in outcomes where written.contains(outcome.number) {
        try await Self.add(outcome.failures, to: id, statements)
      }
      return written
    }
  }

  // MARK: Looking

  /// The state of an import for a worker.
  func status(_ id: String, worker: String) async throws -> SharedStatus? {
    let row = try await database.first(
      """
      SELECT state, planned, rows, rate, honors_key, trouble,
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
    status.honorsKey = try read.honorsKey()
    status.trouble = try read.optionalText("trouble")
    status.pause = try read.optionalReal("pause", in: 0...Double(RowReader.times.upperBound)) ?? 0
    status.workers = max(1, try read.count("workers"))
    status.free = try read.count("free")
    status.claimed = try read.count("claimed")
    status.held = try read.count("held")
    status.hasPlanner = try read.flag("is_planned")
    status.othersAdded = try read.count("others_added")
    status.othersFailed = try read.count("others_failed")
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
  func counts(_ id: String, in statements: (any Statements)? = nil) async throws -> BlockCounts {
    let row = try await (statements ?? database).first(
      """
      SELECT coalesce(sum(added), 0)::bigint AS added, coalesce(sum(skipped), 0)::bigint AS skipped,
        coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(unsettled), 0)::bigint AS unsettled,
        coalesce(sum(unknown), 0)::bigint AS unknown
      FROM block WHERE import_id = ?
      """, .text(id))
    guard let read = row.map({ reader($0, of: "block") }) else { return BlockCounts() }
    var counts = try read.blockCounts()
    counts.unknown = try read.count("unknown")
    return counts
  }

  /// The number of rows by their outcomes, with those that the source had in earlier imports.
  func totals(_ id: String) async throws -> (state: SharedImport.State, rows: Int?, counts: BlockCounts)? {
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
}
