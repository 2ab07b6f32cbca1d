import Compression
import Databases
import HostLoop
import ImportEngine
import ImportFormats
import TaskAPI

/// Claims of blocks, and the writing of their outcomes.
extension SharedImports {
  /// A larger block is damaged: one of 500 rows has a few megabytes.
  private static let largestPayload = 64 << 20

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

  static func rows(_ read: RowReader) throws(DamagedRow) -> [BlockRow] {
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
}
