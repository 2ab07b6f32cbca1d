import Databases
import ImportFormats

/// Gives a journal's rows their numbers in a changed source, where rows with the same content are the same rows. Its
/// own tables replace the old ones in one transaction: a kill leaves the journal unchanged or complete.
final class JournalRenumbering {
  private static let prefix = JournalSchema.nextPrefix

  private var old: JournalRowIndex
  private var counts = JournalCounts()
  private var rowsDigest: UInt64 = 0
  private var carriedDigest: UInt64 = 0
  private var chunk = JournalChunk(number: 0)
  private let oldKeys: [Int: String]
  private let id: String
  /// The beginnings of idempotency keys that rows keep from before.
  private(set) var keys: [Int: String] = [:]
  private(set) var matched = 0
  var known: Int { old.count }

  /// - Parameter keys: the beginnings of idempotency keys that rows have from earlier IDs.
  init(_ store: JournalStore, id: String, keys: [Int: String]) throws {
    self.id = id
    oldKeys = keys
    old = try JournalRowIndex(store)
    try JournalSchema.makeNext(store.rowTableNames, store.database)
  }

  func add(_ row: Int, fingerprint: UInt64, line: Int?, to store: JournalStore) throws {
    if JournalChunk.number(of: row) != chunk.number {
      write(store)
      chunk = JournalChunk(number: JournalChunk.number(of: row))
    }
    guard let found = old.take(fingerprint) else {
      chunk.identify(JournalRow(row: row, fingerprint: fingerprint))
      return counts.move(from: nil, to: .pending)
    }
    matched += 1
    let source = try store.chunk(of: found)
    guard let known = source.knownRow(found) else { return }
    chunk.identify(
      JournalRow(row: row, fingerprint: fingerprint, textHash: known.textHash, sourceID: source.sourceID(found)))
    chunk.setTime(row, known.sentAt)
    chunk.setOutcome(row, known.state == .sent ? .pending : known.state, source.task(found))
    counts.move(from: nil, to: known.state)
    if known.state == .failed || known.state == .unsettled { moveFailure(from: found, to: row, line: line, store) }
    // A file of failed rows names its rows by their keys.
    if [.sent, .unsettled, .failed].contains(known.state) { keepKey(of: found, for: row, store) }
  }

  private func write(_ store: JournalStore) {
    guard chunk.isDirty.identity else { return }
    for part in [chunk.identity, chunk.outcomes] + (chunk.isDirty.names ? [chunk.names] : []) {
      rowsDigest &+= part.hash
      store.gather { try part.write($0, prefix: Self.prefix) }
    }
  }

  private func moveFailure(from old: Int, to row: Int, line: Int?, _ store: JournalStore) {
    let path = store.path
    store.gather { database in
      guard var failure = try JournalFailures.first(after: old - 1, in: database, path), failure.failure.row == old
      else { throw ImportError.journalDamaged(path, "it does not say why row \(old) failed") }
      failure.failure.row = row
      failure.failure.line = line
      try failure.write(database, prefix: Self.prefix)
    }
  }

  private func keepKey(of old: Int, for row: Int, _ store: JournalStore) {
    let key = oldKeys[old] ?? "\(id)-\(old)"
    keys[row] = key
    carriedDigest &+= JournalDigests.hash(ofKey: key, row: row)
    store.gather { database in
      try database.execute(
        "INSERT INTO \(Self.prefix)carried (row, key) VALUES (?, ?)", .integer(Int64(row)), .text(key))
    }
  }

  /// Replaces the old numbers, with the next commit.
  func finish(_ store: JournalStore, newID: String) throws {
    write(store)
    try keepTextsOfTheRest(store)
    let names = store.rowTableNames
    store.gather { try JournalSchema.putNext(names, $0) }
    store.record.id = newID
    store.record.finishedRows = nil
    store.record.digests.carried = carriedDigest
    store.replaceRows(counts, highestChunk: chunk.number, digest: rowsDigest)
  }

  /// Keeps the texts of rows that the source no longer has: their tasks are or may be on the server.
  private func keepTextsOfTheRest(_ store: JournalStore) throws {
    var added: [UInt64] = []
    try JournalChunk.each(in: store.database, version: store.record.version) { chunk in
      for row in chunk.knownRows where !old.isTaken(row.row) {
        switch row.state {
        case .added: added.append(row.textHash)
        case .sent, .unsettled:
          store.record.digests.lost &+= JournalDigests.hash(ofLost: row.textHash)
          let hash = SQLValue.integer(Int64(bitPattern: row.textHash))
          store.gather { try $0.execute("INSERT INTO lost (text_hash) VALUES (?)", hash) }
        case .pending, .skipped, .failed: break
        }
      }
    }
    guard let total = store.record.baselineTotal else { return }
    store.record.baselineTotal = total + added.count
    for start in stride(from: 0, to: added.count, by: 4096) {
      store.addToBaseline(Array(added[start..<min(start + 4096, added.count)]))
    }
  }
}

/// The rows of a journal by their content, each to be taken once: some 20 bytes a row.
private struct JournalRowIndex {
  /// Sorted. A reference has the rank of the row's state in the upper byte, lower for a surer fate, and the row's number.
  private var entries: [(fingerprint: UInt64, reference: UInt64)] = []
  /// The number of taken entries with the same fingerprint, at the first of them.
  private var taken: [UInt32] = []
  /// By number.
  private var isTaken: [Bool] = []

  /// Makes an index of the rows that were sent, skipped or have failed.
  init(_ store: JournalStore) throws {
    entries.reserveCapacity(store.counts.rows)
    var highest = 0
    try JournalChunk.each(in: store.database, version: store.record.version) { chunk in
      for row in chunk.knownRows {
        highest = row.row
        guard let rank = Self.rank(row.state) else { continue }
        entries.append((row.fingerprint, rank << 56 | UInt64(row.row)))
      }
    }
    entries.sort { $0 < $1 }
    taken = Array(repeating: 0, count: entries.count)
    isTaken = Array(repeating: false, count: highest + 1)
  }

  /// The number of a row with that content that was not taken; of several, one with the surest fate.
  mutating func take(_ fingerprint: UInt64) -> Int? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].fingerprint < fingerprint { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].fingerprint == fingerprint else { return nil }
    let place = low + Int(taken[low])
    guard place < entries.count, entries[place].fingerprint == fingerprint else { return nil }
    taken[low] += 1
    let row = Int(entries[place].reference & 0xff_ffff_ffff_ffff)
    isTaken[row] = true
    return row
  }

  var count: Int { entries.count }

  func isTaken(_ row: Int) -> Bool { isTaken[row] }

  private static func rank(_ state: RowState) -> UInt64? {
    switch state {
    case .added: 0
    case .skipped: 1
    case .sent: 2
    case .unsettled: 3
    case .failed: 4
    case .pending: nil
    }
  }
}
