import SQLite

/// Gives a journal's rows the numbers they have in a changed source: those of the same content are the same rows.
///
/// It writes tables of its own, which take the place of the old ones in one transaction: a kill before leaves the
/// journal as it was, a kill after leaves it done.
final class JournalRenumbering {
  private static let prefix = JournalSchema.nextPrefix

  private var old: JournalRowIndex
  private var counts = JournalCounts()
  private var rowsDigest: UInt64 = 0
  private var carriedDigest: UInt64 = 0
  private var chunk = JournalChunk(number: 0)
  private let oldKeys: [Int: String]
  private let id: String
  /// Beginnings of idempotency keys that the new rows have from before.
  private(set) var keys: [Int: String] = [:]
  /// Rows that were found again.
  private(set) var matched = 0
  /// Rows that could be found again.
  var known: Int { old.count }

  /// - Parameters:
  ///   - id: the journal's by now.
  ///   - keys: beginnings of idempotency keys that rows have from before that.
  init(_ store: JournalStore, id: String, keys: [Int: String]) throws {
    self.id = id
    oldKeys = keys
    old = try JournalRowIndex(store)
    try JournalSchema.makeNext(JournalSchema.rowTableNames, store.database)
  }

  // MARK: Rows

  /// The next row of the changed source.
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
    chunk.identify(JournalRow(row: row, fingerprint: fingerprint, textHash: known.textHash))
    chunk.setTime(row, known.sentAt)
    chunk.setOutcome(row, known.state == .sent ? .pending : known.state)
    counts.move(from: nil, to: known.state)
    if known.state == .failed || known.state == .unsettled { moveFailure(from: found, to: row, line: line, store) }
    if known.state == .sent || known.state == .unsettled { keepKey(of: found, for: row, store) }
  }

  private func write(_ store: JournalStore) {
    guard chunk.isIdentityDirty else { return }
    for part in [chunk.identity, chunk.outcomes] {
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

  // MARK: The end

  /// Puts the new numbers in the place of the old ones, with the next commit.
  func finish(_ store: JournalStore, newID: String) throws {
    write(store)
    try keepTextsOfTheRest(store)
    store.gather { try JournalSchema.putNext(JournalSchema.rowTableNames, $0) }
    store.record.id = newID
    store.record.finishedRows = nil
    store.record.digests.carried = carriedDigest
    store.replaceRows(counts, highestChunk: chunk.number, digest: rowsDigest)
  }

  /// Rows that the source no longer has: their tasks are there, or may be, without this import's adding them.
  private func keepTextsOfTheRest(_ store: JournalStore) throws {
    var added: [UInt64] = []
    try JournalChunk.each(in: store.database) { chunk in
      for row in chunk.knownRows where !old.isTaken(row.row) {
        switch row.state {
        case .added: added.append(row.textHash)
        case .sent, .unsettled:
          store.record.digests.lost &+= JournalDigests.hash(ofLost: row.textHash)
          let hash = SQLiteValue.integer(Int64(bitPattern: row.textHash))
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
