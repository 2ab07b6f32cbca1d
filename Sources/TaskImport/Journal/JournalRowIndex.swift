/// The rows of a journal by their content, each to be taken once: some 20 bytes a row.
struct JournalRowIndex {
  private struct Entry {
    var fingerprint: UInt64
    /// How sure the row's fate is in the upper byte, less for the surer, and its number.
    var reference: UInt64
  }

  /// Sorted.
  private var entries: [Entry] = []
  /// How many of the entries with the same fingerprint have been taken, at the first of them.
  private var taken: [UInt32] = []
  /// By number.
  private var isTaken: [Bool] = []

  /// Makes an index of the rows that were sent, skipped or have failed.
  init(_ store: JournalStore) throws {
    entries.reserveCapacity(store.counts.rows)
    var highest = 0
    try JournalChunk.each(in: store.database) { chunk in
      for row in chunk.knownRows {
        highest = row.row
        guard let rank = Self.rank(row.state) else { continue }
        entries.append(Entry(fingerprint: row.fingerprint, reference: rank << 56 | UInt64(row.row)))
      }
    }
    entries.sort { ($0.fingerprint, $0.reference) < ($1.fingerprint, $1.reference) }
    taken = Array(repeating: 0, count: entries.count)
    isTaken = Array(repeating: false, count: highest + 1)
  }

  /// The number of a row with that content that has not been taken; of several, one of the surest.
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

  /// How many rows there are.
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
