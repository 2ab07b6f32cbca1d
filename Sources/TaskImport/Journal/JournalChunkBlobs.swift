import SQLite

/// A chunk as it is stored. Numbers are little-endian, as on every machine this program runs on.
struct JournalChunkBlobs: Sendable {
  var number: Int
  /// For each run of rows with the same time: the run's length less one, and the time in four bytes.
  var times: [UInt8]
  /// Eight bytes a row.
  var fingerprints: [UInt8]
  var textHashes: [UInt8]
  /// A byte a row; fewer rows than the others when the last ones have none.
  var states: [UInt8]
  /// IDs of tasks, which earlier versions wrote. Nothing but the check of the stored bytes reads them.
  var ids: [UInt8] = []
  /// True if the chunk has its part with what became of the rows.
  var hasOutcomes = true

  /// Tells the part that identifies the rows from any other.
  var identityHash: UInt64 { Self.hash(1, number, [times, fingerprints, textHashes]) }
  /// Tells the part with what became of the rows from any other.
  var outcomesHash: UInt64 { Self.hash(2, number, [states, ids]) }

  private static func hash(_ part: UInt8, _ number: Int, _ blobs: [[UInt8]]) -> UInt64 {
    var hash = StableHash()
    hash.add(part)
    withUnsafeBytes(of: number.littleEndian) { hash.add($0) }
    for blob in blobs { blob.withUnsafeBytes { hash.add($0) } }
    return hash.value
  }

  /// The first stored chunk from that number on; nil when there is none.
  static func read(from number: Int, _ database: Connection) throws(SQLiteError) -> JournalChunkBlobs? {
    let row = try database.first(
      """
      SELECT rows.chunk, times, fingerprints, text_hashes, states, ids FROM rows LEFT JOIN outcomes USING (chunk)
      WHERE rows.chunk >= ? ORDER BY rows.chunk LIMIT 1
      """, .integer(Int64(number)))
    guard let row else { return nil }
    return JournalChunkBlobs(
      number: Int(row[0].integer ?? 0), times: row[1].blob ?? [], fingerprints: row[2].blob ?? [],
      textHashes: row[3].blob ?? [], states: row[4].blob ?? [], ids: row[5].blob ?? [],
      hasOutcomes: !row[4].isNull)
  }

  /// - Parameter prefix: of the tables' names.
  func writeIdentity(_ database: Connection, prefix: String = "") throws(SQLiteError) {
    try database.execute(
      "INSERT OR REPLACE INTO \(prefix)rows (chunk, times, fingerprints, text_hashes) VALUES (?, ?, ?, ?)",
      .integer(Int64(number)), .blob(times), .blob(fingerprints), .blob(textHashes))
  }

  /// - Parameter prefix: of the tables' names.
  func writeOutcomes(_ database: Connection, prefix: String = "") throws(SQLiteError) {
    try database.execute(
      "INSERT OR REPLACE INTO \(prefix)outcomes (chunk, states, ids) VALUES (?, ?, ?)",
      .integer(Int64(number)), .blob(states), .blob(ids))
  }
}
