/// The knowledge about 256 consecutive rows: the unit in which a journal reads and writes.
///
/// It is stored in two parts. What identifies the rows is written when they are about to be sent, what became of them
/// later; so that each of the two is written about once.
final class JournalChunk {
  static let size = 256
  /// Above the highest number of a chunk: four billion rows.
  private static let numbers = 1 << 24
  /// In place of a time: the row is known and has not been sent.
  private static let notSent: UInt32 = 1

  /// Counting from 0; the first row of chunk 0 is row 1.
  let number: Int
  private var fingerprints: [UInt64]
  private var textHashes: [UInt64]
  /// When each row was sent, in Unix seconds; 0 for a row that is not known.
  private var times: [UInt32]
  /// The outcome of each row; `pending` also while it is not known.
  private var states: [UInt8]
  var isIdentityDirty = false
  var areOutcomesDirty = false
  /// The hashes of the two parts as they are stored; 0 for a part that is not.
  var storedIdentity: UInt64 = 0
  var storedOutcomes: UInt64 = 0
  /// True if it is among those that the next commit writes.
  var isGathered = false

  init(number: Int) {
    self.number = number
    fingerprints = Array(repeating: 0, count: Self.size)
    textHashes = fingerprints
    times = Array(repeating: 0, count: Self.size)
    states = Array(repeating: 0, count: Self.size)
  }

  static func number(of row: Int) -> Int { (row - 1) / size }

  private static func slot(_ row: Int) -> Int { (row - 1) % size }

  // MARK: Rows

  /// Nil for a row that is not known.
  func state(_ row: Int) -> RowState? { state(slot: Self.slot(row)) }

  private func state(slot: Int) -> RowState? {
    guard times[slot] != 0 else { return nil }
    if let settled = RowState(rawValue: states[slot]), settled != .pending { return settled }
    return times[slot] == Self.notSent ? .pending : .sent
  }

  /// Nil for a row that is not known.
  func knownRow(_ row: Int) -> KnownRow? { knownRow(slot: Self.slot(row)) }

  /// Nil for a row that is not known.
  func knownRow(slot: Int) -> KnownRow? {
    let row = number * Self.size + slot + 1
    guard let state = state(row) else { return nil }
    return KnownRow(
      row: row, fingerprint: fingerprints[slot], textHash: textHashes[slot], state: state,
      sentAt: times[slot] == Self.notSent ? nil : Int(times[slot]))
  }

  /// Writes down what identifies the row; a row that was known keeps its time.
  func identify(_ row: JournalRow) {
    let slot = Self.slot(row.row)
    if times[slot] == 0 { times[slot] = Self.notSent }
    fingerprints[slot] = row.fingerprint
    textHashes[slot] = row.textHash
    isIdentityDirty = true
  }

  func setTime(_ row: Int, _ time: Int?) {
    times[Self.slot(row)] = time.map { UInt32(clamping: max($0, 2)) } ?? Self.notSent
    isIdentityDirty = true
  }

  /// `pending` for a row that is to be sent, or is on its way.
  func setOutcome(_ row: Int, _ state: RowState) {
    let slot = Self.slot(row)
    guard states[slot] != state.rawValue else { return }
    states[slot] = state.rawValue
    areOutcomesDirty = true
  }

  /// Calls `body` with the state of each row that is known.
  func eachState(_ body: (RowState) -> Void) {
    for slot in 0..<Self.size where times[slot] != 0 { if let state = state(slot: slot) { body(state) } }
  }

  /// Calls `body` with the hash of the text of each row that was added.
  func eachAdded(_ body: (UInt64) -> Void) {
    for slot in 0..<Self.size where states[slot] == RowState.added.rawValue { body(textHashes[slot]) }
  }

  // MARK: Storage

  private var count: Int { (times.lastIndex { $0 != 0 } ?? -1) + 1 }

  var blobs: JournalChunkBlobs {
    JournalChunkBlobs(
      number: number, times: Self.runs(times[..<count]), fingerprints: Self.bytes(fingerprints[..<count]),
      textHashes: Self.bytes(textHashes[..<count]), states: Array(states[..<count]))
  }

  /// Throws `journal_damaged` when the blobs are none of a chunk's.
  init(_ blobs: JournalChunkBlobs, path: String) throws(ImportError) {
    guard (0..<Self.numbers).contains(blobs.number) else {
      throw .journalDamaged(path, "it has rows of impossible numbers")
    }
    let count = blobs.fingerprints.count / 8
    guard blobs.fingerprints.count % 8 == 0, count <= Self.size, blobs.textHashes.count == 8 * count,
      blobs.states.count <= count, blobs.states.allSatisfy({ $0 < RowState.sent.rawValue }),
      let times = Self.seconds(blobs.times, count: count)
    else {
      let first = blobs.number * Self.size + 1
      throw .journalDamaged(path, "what it holds of rows \(first) to \(first + Self.size - 1) cannot be read")
    }
    number = blobs.number
    fingerprints = Self.numbers(blobs.fingerprints)
    textHashes = Self.numbers(blobs.textHashes)
    self.times = times
    states = blobs.states + repeatElement(0, count: Self.size - blobs.states.count)
    storedIdentity = blobs.identityHash
    storedOutcomes = blobs.hasOutcomes ? blobs.outcomesHash : 0
  }

  private static func bytes(_ numbers: ArraySlice<UInt64>) -> [UInt8] {
    numbers.withUnsafeBytes { Array($0) }
  }

  private static func numbers(_ bytes: [UInt8]) -> [UInt64] {
    [UInt64](unsafeUninitializedCapacity: size) { buffer, count in
      buffer.initialize(repeating: 0)
      UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes)
      count = size
    }
  }

  private static func runs(_ times: ArraySlice<UInt32>) -> [UInt8] {
    var bytes: [UInt8] = []
    var start = times.startIndex
    while start < times.endIndex {
      let end = times[start...].firstIndex { $0 != times[start] } ?? times.endIndex
      bytes.append(UInt8(end - start - 1))
      withUnsafeBytes(of: times[start]) { bytes += $0 }
      start = end
    }
    return bytes
  }

  private static func seconds(_ runs: [UInt8], count: Int) -> [UInt32]? {
    guard runs.count % 5 == 0 else { return nil }
    var times: [UInt32] = []
    times.reserveCapacity(size)
    for start in stride(from: 0, to: runs.count, by: 5) {
      let time = (1...4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(runs[start + $1]) }
      times += repeatElement(time, count: Int(runs[start]) + 1)
    }
    guard times.count == count else { return nil }
    return times + repeatElement(0, count: size - count)
  }
}
