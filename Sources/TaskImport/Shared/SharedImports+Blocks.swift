import Compression
import HostLoop
import SQL
import Storage
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
      KnownBlock(
        number: Int(row[0].integer ?? 0), firstRow: Int(row[1].integer ?? 0), rows: Int(row[2].integer ?? 0),
        digest: UInt64(bitPattern: row[3].integer ?? 0))
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
        CASE WHEN block.no = ANY (string_to_array(?5, ',')::bigint[]) THEN NULL ELSE block.payload END, block.result,
        next.intent, extract(epoch FROM block.claimed)::bigint, block.rows
      """, .text(id), .integer(Int64(most)), .text(worker), .integer(honorsKey ? 1 : 0),
      .text(known.keys.map(String.init).joined(separator: ",")))
    return try await usable(rows, id, worker: worker) { row throws(DamagedBlock) in
      try held(row, honorsKey: honorsKey, known)
    }
  }

  /// The blocks that can be read. The others are held, so that they stop nobody.
  private func usable(
    _ rows: [Row], _ id: String, worker: String, _ held: (Row) throws(DamagedBlock) -> HeldBlock
  ) async throws -> [HeldBlock] {
    var blocks: [HeldBlock] = []
    for row in rows {
      do { blocks.append(try held(row)) } catch {
        try await database.execute(
          "UPDATE block SET state = 'held', owner = NULL WHERE import_id = ? AND no = ? AND owner = ?", .text(id),
          .integer(Int64(error.number)), .text(worker))
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
        RETURNING no, epoch, first_row, payload, result, intent, coalesce(extract(epoch FROM claimed), 0)::bigint, rows
        """, .text(worker), .text(id), .integer(Int64(most)))
      // If this worker dies, the blocks are free again, below the mark up to which all are done.
      if let first = rows.compactMap(\.[0].integer).min() {
        try await statements.execute("UPDATE import SET low = least(low, ?) WHERE id = ?", .integer(first), .text(id))
      }
      return rows
    }
    return try await usable(rows, id, worker: worker) { row throws(DamagedBlock) in try held(row, honorsKey: false) }
  }

  /// A block that is damaged, or that a newer program has written.
  private struct DamagedBlock: Error { let number: Int }

  private func held(
    _ row: Row, honorsKey: Bool, _ known: [Int: [BlockRow]] = [:]
  ) throws(DamagedBlock) -> HeldBlock {
    let number = Int(row[0].integer ?? 0)
    let count = Int(row[7].integer ?? 0)
    let firstRow = Int(row[2].integer ?? 0)
    guard let rows = known[number] ?? Self.rows(row[3], count), rows.count == count,
      BlockPayload.begins(rows, at: firstRow)
    else { throw DamagedBlock(number: number) }
    var states = (row[4].blob ?? []).map { RowState(rawValue: $0) ?? .pending }
    if states.isEmpty { states = rows.map { _ in .pending } }
    guard states.count == count else { throw DamagedBlock(number: number) }
    let intent = max(0, min(count, Int(row[5].integer ?? 0)))
    let block = HeldBlock(
      number: number, epoch: Int(row[1].integer ?? 0), firstRow: firstRow, rows: rows, states: states,
      claimed: Int(row[6].integer ?? 0), intent: intent)
    block.intent = honorsKey ? count : intent
    return block
  }

  private static func rows(_ payload: SQLValue, _ count: Int) -> [BlockRow]? {
    guard 1...mostRows ~= count,
      let bytes = try? Decompressor.decompress(payload.blob ?? [], .zstd, limit: largestPayload)
    else { return nil }
    return BlockPayload.decode(bytes, count: count)
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
      SELECT state, planned, rate, honors_key, trouble,
        greatest(0, extract(epoch FROM pause_until - clock_timestamp()))::float8,
        (SELECT count(*) FROM worker WHERE import_id = ?1 AND lease_until > now()),
        (SELECT count(*) FROM block WHERE import_id = ?1 AND state = 'free' AND no >= import.low),
        (SELECT count(*) FROM block WHERE import_id = ?1 AND state = 'claimed' AND no >= import.low),
        (SELECT count(*) FROM block WHERE import_id = ?1 AND state = 'held' AND no >= import.low),
        (SELECT 1 FROM lease WHERE name = ?2 AND until > \(Dialect.postgresql.now)),
        added + coalesce((SELECT sum(added) FROM worker WHERE import_id = ?1 AND id <> ?3), 0)::bigint,
        failed + coalesce((SELECT sum(failed) FROM worker WHERE import_id = ?1 AND id <> ?3), 0)::bigint, rows
      FROM import WHERE id = ?1
      """, .text(id), .text(Self.plannerLease(id)), .text(worker))
    guard let row else { return nil }
    let number = { (index: Int) in row[index].rowCount }
    var status = SharedStatus()
    status.state = SharedImport.State(rawValue: row[0].text ?? "") ?? .open
    status.planned = row[1].integer.map { Int($0) }
    status.rate = row[2].real
    status.honorsKey = row[3].integer.map { $0 == 1 }
    status.trouble = row[4].text
    status.pause = row[5].real ?? 0
    status.workers = max(1, number(6))
    (status.free, status.claimed, status.held) = (number(7), number(8), number(9))
    status.hasPlanner = row[10].integer != nil
    (status.othersAdded, status.othersFailed) = (number(11), number(12))
    status.rows = status.planned == nil ? nil : row[13].rowCount
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
      SELECT sum(added)::bigint, sum(skipped)::bigint, sum(failed)::bigint, sum(unsettled)::bigint, sum(unknown)::bigint
      FROM block WHERE import_id = ?
      """, .text(id))
    var counts = BlockCounts()
    let number = { (index: Int) in row?[index].rowCount ?? 0 }
    (counts.added, counts.skipped, counts.failed) = (number(0), number(1), number(2))
    (counts.unsettled, counts.unknown) = (number(3), number(4))
    return counts
  }

  /// The number of rows by their outcomes, with those that the source had in earlier imports.
  func totals(_ id: String) async throws -> (state: SharedImport.State, rows: Int?, counts: BlockCounts)? {
    let row = try await database.first(
      """
      SELECT state, CASE WHEN planned IS NOT NULL THEN rows END, added, skipped, failed, unsettled, earlier_added, earlier_skipped, earlier_failed,
        earlier_unsettled FROM import WHERE id = ?
      """, .text(id))
    guard let row else { return nil }
    let number = { (index: Int) in row[index].rowCount }
    let state = SharedImport.State(rawValue: row[0].text ?? "") ?? .open
    let isDone = state == .done
    var counts = isDone ? BlockCounts() : try await self.counts(id)
    let first = isDone ? 2 : 6
    counts.added += number(first)
    counts.skipped += number(first + 1)
    counts.failed += number(first + 2)
    counts.unsettled += number(first + 3)
    return (state, row[1].integer.map { Int($0) }, counts)
  }

  /// The numbers of added rows with each of these texts, read from all blocks.
  func addedCounts(_ id: String, of hashes: Set<UInt64>) async throws -> [UInt64: Int] {
    var counts: [UInt64: Int] = [:]
    var last: Int64 = -1
    while true {
      let found = try await database.query(
        "SELECT no, payload, result, rows FROM block WHERE import_id = ? AND no > ? AND added > 0 ORDER BY no LIMIT 100",
        .text(id), .integer(last))
      guard let end = found.last?[0].integer else { return counts }
      last = end
      for row in found {
        guard let rows = Self.rows(row[1], Int(row[3].integer ?? 0)) else {
          throw ImportError.journalUnusable(
            "the block \(row[0].integer ?? 0) of an import in \(place) cannot be read",
            hint: "it was written by a newer b2c-run, or it is damaged", path: place)
        }
        for (state, entry) in zip(row[2].blob ?? [], rows) {
          guard state == RowState.added.rawValue, let draft = entry.draft else { continue }
          let hash = StableHash.of(draft.text)
          if hashes.contains(hash) { counts[hash, default: 0] += 1 }
        }
      }
      try Task.checkCancellation()
    }
  }

  /// Ends an import of which all blocks are done and nothing is unknown: its counts and failures stay, and `dropBlocks`
  /// may have its blocks. Returns false if there is more to do.
  func finish(_ id: String) async throws -> Bool {
    try await database.transaction { statements in
      guard let found = try await Self.lock(id, statements), found[0] == .text("open"), found[1].integer != nil,
        try await statements.first(
          "SELECT 1 FROM block WHERE import_id = ? AND (state <> 'done' OR unknown > 0) LIMIT 1", .text(id)) == nil
      else { return false }
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

extension SQLValue {
  /// A number of rows. One that cannot be is cut, so that sums of some never overflow.
  var rowCount: Int { Int(max(0, min(integer ?? 0, 1 << 53))) }
}
