import SQLite

/// A journal's database with what is gathered for it: used by one thread at a time.
///
/// Rows are changed in memory first, in chunks, and written by `commit`. What was not committed when the process ends
/// was never said to be on disk.
final class JournalStore {
  /// Chunks that stay in memory because they are likely needed again: some 16,000 rows.
  private static let cachedChunks = 64

  let database: Connection
  var record: JournalRecord
  var counts: JournalCounts
  /// Nil for a journal in memory.
  private let seal: JournalSeal?
  /// Unix seconds.
  let now: @Sendable () -> Int
  private var chunks: [Int: JournalChunk] = [:]
  /// The one used last.
  private var latest: JournalChunk?
  /// The numbers of the chunks in memory, the latest at the end.
  private var order: [Int] = []
  private var dirty: [JournalChunk] = []
  /// The highest number of a chunk that is stored.
  private var highestChunk: Int
  /// Changes to other tables, in their order.
  private var work: [(Connection) throws -> Void] = []
  /// Rows of this run's `willSend` whose fate was unknown before.
  var unknownBefore: Set<Int> = []
  /// Under way while the rows are compared with those of a changed source.
  var renumbering: JournalRenumbering?
  private var isDirty = false
  /// True if something was committed that a power cut may undo.
  private var isVolatile = false
  private var isSynchronous = false

  init(
    _ database: Connection, _ record: JournalRecord, _ counts: JournalCounts, seal: JournalSeal? = nil,
    now: @escaping @Sendable () -> Int
  ) throws {
    self.database = database
    self.seal = seal
    self.record = record
    self.counts = counts
    self.now = now
    highestChunk = Int(try database.first("SELECT max(chunk) FROM rows")?[0].integer ?? -1)
  }

  var isEmpty: Bool { highestChunk < 0 }
  var path: String { database.path }

  // MARK: Changes

  /// The chunk of that row, to be changed: it is written with the next commit.
  func chunk(of row: Int) throws -> JournalChunk {
    let number = JournalChunk.number(of: row)
    if let latest, latest.number == number { return latest }
    let chunk = try chunks[number] ?? load(number) ?? JournalChunk(number: number)
    if chunks.updateValue(chunk, forKey: number) == nil { order.append(number) }
    latest = chunk
    return chunk
  }

  /// `chunk` has been changed.
  func touch(_ chunk: JournalChunk) {
    isDirty = true
    if !chunk.isGathered {
      chunk.isGathered = true
      dirty.append(chunk)
    }
  }

  /// The record has been changed, or `change` is to be made.
  func gather(_ change: ((Connection) throws -> Void)? = nil) {
    isDirty = true
    if let change { work.append(change) }
  }

  /// Other rows have come in the place of all there were.
  func replaceRows(_ counts: JournalCounts, highestChunk: Int, digest: UInt64) {
    self.counts = counts
    record.digests.rows = digest
    self.highestChunk = highestChunk
    chunks = [:]
    order = []
    latest = nil
    for chunk in dirty { chunk.isGathered = false }
    dirty = []
    unknownBefore = []
    isDirty = true
  }

  // MARK: Writing

  /// Writes what has been gathered. With `isDurable` it is on the disk afterwards, whatever happens to the machine;
  /// without, it outlives the process.
  func commit(isDurable: Bool) throws {
    guard isDirty || isDurable && isVolatile else { return }
    if isDurable != isSynchronous {
      try database.executeScript("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
      isSynchronous = isDurable
    }
    record.updated = now()
    record.generation += 1
    try database.transaction {
      for change in work { try change(database) }
      for chunk in dirty { try write(chunk) }
      try record.write(database, counts)
    }
    if isDurable { seal?.write(record.generation) }
    isDirty = false
    isVolatile = !isDurable
    work.removeAll()
    for chunk in dirty {
      chunk.isIdentityDirty = false
      chunk.areOutcomesDirty = false
      chunk.isGathered = false
      highestChunk = max(highestChunk, chunk.number)
    }
    dirty.removeAll(keepingCapacity: true)
    evict()
  }

  private func write(_ chunk: JournalChunk) throws(SQLiteError) {
    let blobs = chunk.blobs
    if chunk.isIdentityDirty {
      let hash = blobs.identityHash
      record.digests.rows &+= hash &- chunk.storedIdentity
      chunk.storedIdentity = hash
      try blobs.writeIdentity(database)
    }
    if chunk.areOutcomesDirty {
      let hash = blobs.outcomesHash
      record.digests.rows &+= hash &- chunk.storedOutcomes
      chunk.storedOutcomes = hash
      try blobs.writeOutcomes(database)
    }
  }

  private func evict() {
    guard order.count > Self.cachedChunks else { return }
    for number in order.dropLast(Self.cachedChunks) { chunks[number] = nil }
    order.removeFirst(order.count - Self.cachedChunks)
    if let last = latest, chunks[last.number] == nil { latest = nil }
  }

  // MARK: Reading

  private func load(_ number: Int) throws -> JournalChunk? {
    guard number <= highestChunk, let blobs = try JournalChunkBlobs.read(from: number, database),
      blobs.number == number
    else { return nil }
    return try JournalChunk(blobs, path: path)
  }

  /// The first stored chunk from that number on; what has not been committed is not in it.
  func storedChunk(from number: Int) throws -> JournalChunk? {
    guard let blobs = try JournalChunkBlobs.read(from: number, database) else { return nil }
    return try JournalChunk(blobs, path: path)
  }
}
