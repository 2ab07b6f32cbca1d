import Databases
import ImportEngine
import ImportFormats
import TaskAPI

/// A journal's database with its gathered changes, used by one thread at a time. Rows are changed in memory, in chunks,
/// and written by `commit`. Changes not committed when the process ends were never reported as written.
final class JournalStore {
  let database: SQLiteConnection
  var record: JournalRecord
  var counts: JournalCounts
  /// Nil for a journal in memory.
  private let seal: JournalSeal?
  /// Unix seconds.
  let now: @Sendable () -> Int
  private var cache = JournalChunkCache()
  private var gathered = Gathered()
  private var highestChunk: Int
  /// Rows of this run's `willSend` whose fate was unknown before.
  var unknownBefore: Set<Int> = []
  /// Set while the rows are compared with those of a changed source.
  var renumbering: JournalRenumbering?
  /// True if a power cut may undo a commit, and true if the database waits for the disk.
  private var durability = (isVolatile: false, isSynchronous: false)

  /// The changes for the next commit.
  private struct Gathered {
    /// True if the record has changed, too.
    var isDirty = false
    var chunks: [JournalChunk] = []
    /// Changes to other tables, in their order.
    var work: [(SQLiteConnection) throws -> Void] = []
  }

  init(
    _ database: SQLiteConnection, _ record: JournalRecord, _ counts: JournalCounts, seal: JournalSeal? = nil,
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
  /// False for a journal of an earlier version, which has neither names of rows nor IDs of tasks.
  private var keepsNames: Bool { record.version > JournalSchema.lastWithoutNames }
  var rowTableNames: [String] { JournalSchema.rowTableNames(version: record.version) }
  var path: String { database.path }

  /// The chunk of that row. After a change, call `touch`.
  func chunk(of row: Int) throws -> JournalChunk {
    let number = JournalChunk.number(of: row)
    if let known = cache.chunk(number) { return known }
    let chunk = try load(number) ?? JournalChunk(number: number)
    cache.add(chunk)
    return chunk
  }

  /// Has `chunk` written with the next commit.
  func touch(_ chunk: JournalChunk) {
    gathered.isDirty = true
    if !chunk.isGathered {
      chunk.isGathered = true
      gathered.chunks.append(chunk)
    }
  }

  /// Has the record and `change` written with the next commit.
  func gather(_ change: ((SQLiteConnection) throws -> Void)? = nil) {
    gathered.isDirty = true
    if let change { gathered.work.append(change) }
  }

  func replaceRows(_ counts: JournalCounts, highestChunk: Int, digest: UInt64) {
    self.counts = counts
    record.digests.rows = digest
    self.highestChunk = highestChunk
    cache = JournalChunkCache()
    for chunk in gathered.chunks { chunk.isGathered = false }
    gathered.chunks = []
    unknownBefore = []
    gathered.isDirty = true
  }

  /// Writes the gathered changes. With `isDurable` they survive a power cut, without it the end of the process.
  func commit(isDurable: Bool) throws {
    guard gathered.isDirty || isDurable && durability.isVolatile else { return }
    if isDurable != durability.isSynchronous {
      try database.executeScript("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
      durability.isSynchronous = isDurable
    }
    record.updated = now()
    record.generation += 1
    try database.transaction {
      for change in gathered.work { try change(database) }
      for chunk in gathered.chunks { try write(chunk) }
      try record.write(database, counts)
    }
    if isDurable { seal?.write(record.generation) }
    gathered.isDirty = false
    durability.isVolatile = !isDurable
    gathered.work.removeAll()
    for chunk in gathered.chunks {
      chunk.isDirty = JournalChunk.Parts(false)
      chunk.isGathered = false
      highestChunk = max(highestChunk, chunk.number)
    }
    gathered.chunks.removeAll(keepingCapacity: true)
    cache.evict()
  }

  private func write(_ chunk: JournalChunk) throws(SQLiteError) {
    if chunk.isDirty.identity { try write(chunk.identity, replacing: &chunk.stored.identity) }
    if chunk.isDirty.names, keepsNames { try write(chunk.names, replacing: &chunk.stored.names) }
    if chunk.isDirty.outcomes { try write(chunk.outcomes, replacing: &chunk.stored.outcomes) }
  }

  private func write(_ part: JournalChunkPart, replacing stored: inout UInt64) throws(SQLiteError) {
    let hash = part.hash
    record.digests.rows &+= hash &- stored
    stored = hash
    try part.write(database)
  }

  private func load(_ number: Int) throws -> JournalChunk? {
    guard number <= highestChunk,
      let chunk = try JournalChunk.first(from: number, in: database, version: record.version), chunk.number == number
    else { return nil }
    return chunk
  }

  /// The first stored chunk from that number on that has names; nil if there is none.
  func namedChunk(from number: Int) throws -> JournalChunk? {
    guard keepsNames,
      let found = try database.first("SELECT chunk FROM names WHERE chunk >= ? LIMIT 1", .integer(Int64(number)))
    else { return nil }
    return try JournalChunk.first(from: Int(found[0].integer ?? 0), in: database, version: record.version)
  }

  func send(_ rows: [JournalRow]) throws {
    let time = now()
    for row in rows {
      let chunk = try chunk(of: row.row)
      let old = chunk.state(row.row)
      chunk.identify(row)
      // The server may have the row's key from before, and its memory of it ends a day after that.
      if old == .sent { unknownBefore.insert(row.row) } else if old != .unsettled { chunk.setTime(row.row, time) }
      leave(old, row.row)
      chunk.setOutcome(row.row, .pending)
      counts.move(from: old, to: .sent)
      touch(chunk)
    }
    record.finishedRows = nil
  }

  func settle(_ row: JournalRow, _ outcome: RowOutcome) throws {
    let chunk = try chunk(of: row.row)
    let old = chunk.state(row.row)
    let new: RowState
    var failure: JournalFailure?
    var task: TaskReference?
    switch outcome {
    case .addedAs(let reference): (new, task) = (.added, keepsNames ? reference : nil)
    case .skipped: new = .skipped
    case .failed(let reason): (new, failure) = (.failed, reason)
    case .unsettled(let reason): (new, failure) = (.unsettled, reason)
    case .notSent where unknownBefore.contains(row.row): new = .sent
    case .notSent, .absent: new = .pending
    }
    // A row that was journaled before it was sent is the same row.
    if old == nil || old == .pending { chunk.identify(row) }
    if new != .sent { unknownBefore.remove(row.row) }
    leave(old, row.row)
    if new == .pending { chunk.setTime(row.row, nil) }
    chunk.setOutcome(row.row, new == .sent ? .pending : new, task)
    counts.move(from: old, to: new)
    if old == nil || new == .pending { record.finishedRows = nil }
    touch(chunk)
    guard var failure else { return }
    failure.failure.row = row.row
    failure.failure.isUnsettled = new == .unsettled
    gather { [failure] in try failure.write($0) }
  }

  func forgetRows(newID: String) {
    let tables = rowTableNames + ["baseline", "lost"]
    gather { [version = record.version] database in
      for name in tables { try database.execute("DELETE FROM \(name)") }
      try JournalSchema.addNames(to: database, version: version)
      try database.executeScript("PRAGMA user_version = \(JournalSchema.version)")
    }
    record.version = JournalSchema.version
    record.id = newID
    record.created = now()
    record.baselineTotal = nil
    record.finishedRows = nil
    record.digests = JournalDigests()
    replaceRows(JournalCounts(), highestChunk: -1, digest: 0)
  }

  /// Forgets the failure of a row whose state changes.
  private func leave(_ old: RowState?, _ row: Int) {
    guard old == .failed || old == .unsettled else { return }
    gather { try $0.execute("DELETE FROM failures WHERE row = ?", .integer(Int64(row))) }
  }

  func addedCounts(of hashes: Set<UInt64>) throws -> [UInt64: Int] {
    try commit(isDurable: false)
    var counts: [UInt64: Int] = [:]
    let wanted = HashFilter(hashes)
    try JournalChunk.each(in: database, version: record.version) { chunk in
      for row in chunk.knownRows where row.state == .added && wanted.contains(row.textHash) {
        counts[row.textHash, default: 0] += 1
      }
    }
    return counts
  }

  func addToBaseline(_ hashes: [UInt64]) {
    guard !hashes.isEmpty else { return }
    let bytes = hashes.withUnsafeBytes { Array($0) }
    record.digests.baseline &+= JournalDigests.hash(ofBatch: bytes)
    gather { try $0.execute("INSERT INTO baseline (hashes) VALUES (?)", .blob(bytes)) }
  }

  func baselineCounts(of hashes: Set<UInt64>) throws -> [UInt64: Int] {
    try commit(isDurable: false)
    var counts: [UInt64: Int] = [:]
    let wanted = HashFilter(hashes)
    var batch: Int64 = 0
    while let row = try database.first(
      "SELECT batch, hashes FROM baseline WHERE batch > ? ORDER BY batch LIMIT 1", .integer(batch))
    {
      batch = row[0].integer ?? .max
      let bytes = row[1].blob ?? []
      bytes.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count - 7, by: 8) {
          let hash = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
          if wanted.contains(hash) { counts[hash, default: 0] += 1 }
        }
      }
    }
    return counts
  }

  func lostCounts(of hashes: Set<UInt64>) throws -> [UInt64: Int] {
    try commit(isDurable: false)
    var counts: [UInt64: Int] = [:]
    for row in try database.query("SELECT text_hash, count(*) FROM lost GROUP BY text_hash") {
      let hash = UInt64(bitPattern: row[0].integer ?? 0)
      if hashes.contains(hash) { counts[hash] = Int(row[1].integer ?? 0) }
    }
    return counts
  }
}

/// Finds a few hashes among very many, mostly by a look at one bit.
private struct HashFilter {
  private let hashes: Set<UInt64>
  private var bits: [UInt64]
  private let mask: UInt64

  init(_ hashes: Set<UInt64>) {
    self.hashes = hashes
    var words = 64
    while words < hashes.count { words *= 2 }
    bits = Array(repeating: 0, count: words)
    mask = UInt64(words - 1)
    for hash in hashes { bits[Int(hash >> 6 & mask)] |= 1 << (hash & 63) }
  }

  func contains(_ hash: UInt64) -> Bool { bits[Int(hash >> 6 & mask)] & 1 << (hash & 63) != 0 && hashes.contains(hash) }
}
