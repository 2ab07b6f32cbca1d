import Compression
import Databases
import HostLoop
import ImportEngine
import ImportFormats
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
  mutating func add(bytesOf number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { add($0) }
  }
}

/// The place of a block in the source, for a planner that goes on.
struct KnownBlock: Sendable {
  let number: Int
  let firstRow: Int
  let rows: Int
  let digest: UInt64
}

/// The statements of a planner.
extension SharedImports {
  static let mostRows = 500

  static func plannerLease(_ id: String) -> String { "planner/\(id)" }
  static func settleLease(_ id: String) -> String { "settle/\(id)" }

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
          counts == RowCounts() ? .null : .blob(block.states.bytes), .integer(Int64(counts.skipped)),
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
}
