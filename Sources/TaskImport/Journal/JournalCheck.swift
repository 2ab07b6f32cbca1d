import SQLite

/// Finds out whether a journal is whole.
enum JournalCheck {
  /// Above the number of a chunk, for each chunk that is there: rows are journaled in their order, with few gaps.
  private static let widestGap = 4096

  /// Reads everything and compares it with what the record says. Throws `journal_damaged`.
  static func verify(_ database: Connection, _ record: JournalRecord, _ counts: JournalCounts) throws {
    let found = try contents(database)
    guard found.counts == counts, found.digests.rows == record.digests.rows else {
      throw ImportError.journalDamaged(database.path, "its rows are not those it counts")
    }
    guard found.digests == record.digests else {
      throw ImportError.journalDamaged(database.path, "what it knows of the tasks there were has changed")
    }
    let failures = try database.first("SELECT count(*) FROM failures")?[0].integer ?? 0
    guard failures == Int64(counts[.failed] + counts[.unsettled]) else {
      throw ImportError.journalDamaged(database.path, "rows that failed are missing")
    }
  }

  /// Reads the tables: the digests and the counts of their contents.
  static func contents(_ database: Connection) throws -> (digests: JournalDigests, counts: JournalCounts) {
    var digests = JournalDigests()
    var counts = JournalCounts()
    var next = 0
    var stored = 0
    while let blobs = try JournalChunkBlobs.read(from: next, database) {
      let chunk = try JournalChunk(blobs, path: database.path)
      stored += 1
      guard chunk.number < stored + widestGap else {
        throw ImportError.journalDamaged(database.path, "it has rows of impossible numbers")
      }
      digests.rows &+= chunk.storedIdentity &+ chunk.storedOutcomes
      chunk.eachState { counts.move(from: nil, to: $0) }
      next = chunk.number + 1
    }
    var batch: Int64 = .min
    while let row = try database.first(
      "SELECT batch, hashes FROM baseline WHERE batch > ? ORDER BY batch LIMIT 1", .integer(batch))
    {
      batch = row[0].integer ?? .max
      digests.baseline &+= JournalDigests.hash(ofBatch: row[1].blob ?? [])
    }
    for row in try database.query("SELECT text_hash FROM lost") {
      digests.lost &+= JournalDigests.hash(ofLost: UInt64(bitPattern: row[0].integer ?? 0))
    }
    for row in try database.query("SELECT row, key FROM carried") {
      digests.carried &+= JournalDigests.hash(ofKey: row[1].text ?? "", row: Int(row[0].integer ?? 0))
    }
    return (digests, counts)
  }
}
