import Databases
import ImportFormats
import TaskAPI

/// The knowledge about 256 consecutive rows, the unit of reading and writing, in three parts. One identifies the rows, and one
/// has the names that the source has for them: both are written before the rows are sent. The third has their outcomes
/// and is written later. So each is written about once.
final class JournalChunk {
  static let size = 256
  /// Larger than the number of any chunk: four billion rows.
  private static let numbers = 1 << 24
  /// Stands for a time if the row is known and was not sent.
  private static let notSent: UInt32 = 1

  /// Counting from 0; the first row of chunk 0 is row 1.
  let number: Int
  private var fingerprints: [UInt64]
  private var textHashes: [UInt64]
  /// When each row was sent, in Unix seconds; 0 for a row that is not known.
  private var times: [UInt32]
  /// The outcome of each row; `pending` also while it is not known.
  private var states: [UInt8]
  private var tasks = JournalTasks()
  private var sourceIDs = JournalTexts()
  var isDirty = Parts(false)
  /// The hashes of the stored parts; 0 for a part that is not stored.
  var stored = Parts<UInt64>(0)
  var isGathered = false

  /// A value for each part.
  struct Parts<Value> {
    var identity: Value
    var names: Value
    var outcomes: Value

    init(_ value: Value) { (identity, names, outcomes) = (value, value, value) }
  }

  init(number: Int) {
    self.number = number
    fingerprints = Array(repeating: 0, count: Self.size)
    textHashes = fingerprints
    times = Array(repeating: 0, count: Self.size)
    states = Array(repeating: 0, count: Self.size)
  }

  static func number(of row: Int) -> Int { (row - 1) / size }

  private static func slot(_ row: Int) -> Int { (row - 1) % size }

  /// Nil for a row that is not known.
  func state(_ row: Int) -> RowState? {
    let slot = Self.slot(row)
    guard times[slot] != 0 else { return nil }
    if let settled = RowState(rawValue: states[slot]), settled != .pending { return settled }
    return times[slot] == Self.notSent ? .pending : .sent
  }

  func knownRow(_ row: Int) -> KnownRow? {
    let slot = Self.slot(row)
    guard let state = state(row) else { return nil }
    return KnownRow(
      row: row, fingerprint: fingerprints[slot], textHash: textHashes[slot], state: state,
      sentAt: times[slot] == Self.notSent ? nil : Int(times[slot]))
  }

  /// Identifies the row; a known row keeps its time.
  func identify(_ row: JournalRow) {
    let slot = Self.slot(row.row)
    if times[slot] == 0 { times[slot] = Self.notSent }
    fingerprints[slot] = row.fingerprint
    textHashes[slot] = row.textHash
    isDirty.identity = true
    name(row.row, row.sourceID)
  }

  /// Keeps the name that the source has for the row.
  func name(_ row: Int, _ sourceID: String?) {
    let slot = Self.slot(row)
    guard sourceID != nil || !sourceIDs.isEmpty, sourceIDs[slot] != sourceID ?? "" else { return }
    sourceIDs[slot] = sourceID ?? ""
    isDirty.names = true
  }

  /// The name that the source has for the row; nil without one.
  func sourceID(_ row: Int) -> String? {
    let name = sourceIDs.isEmpty ? "" : sourceIDs[Self.slot(row)]
    return name.isEmpty ? nil : name
  }

  var sourceIDsByRow: [(row: Int, name: String)] {
    let first = number * Self.size + 1
    return (first..<first + Self.size).compactMap { row in sourceID(row).map { (row, $0) } }
  }

  /// The task of the row; nil if its ID is not known.
  func task(_ row: Int) -> TaskReference? { tasks[Self.slot(row)] }

  func setTime(_ row: Int, _ time: Int?) {
    times[Self.slot(row)] = time.map { UInt32(clamping: max($0, 2)) } ?? Self.notSent
    isDirty.identity = true
  }

  /// - Parameters:
  ///   - state: `pending` for a row that is to be sent or is under way.
  ///   - task: the task of an added row; nil if its ID is not known.
  func setOutcome(_ row: Int, _ state: RowState, _ task: TaskReference? = nil) {
    let slot = Self.slot(row)
    if states[slot] != state.rawValue || task != nil { isDirty.outcomes = true }
    states[slot] = state.rawValue
    if let task { tasks[slot] = task }
  }

  var knownRows: some Sequence<KnownRow> {
    (0..<Self.size).lazy.compactMap { self.knownRow(self.number * Self.size + $0 + 1) }
  }

  /// The first stored chunk from that number on; nil if there is none. Throws `journal_damaged` for data that are no chunk.
  /// - Parameter version: that of the journal. Earlier versions have no names and no IDs of tasks.
  static func first(
    from number: Int, in database: SQLiteConnection, version: Int
  ) throws -> sending JournalChunk? {
    let isNamed = version > JournalSchema.lastWithoutNames
    let row = try database.first(
      """
      SELECT rows.chunk, times, fingerprints, text_hashes, states, ids, \(isNamed ? "source_ids" : "NULL") FROM rows
      LEFT JOIN outcomes USING (chunk) \(isNamed ? "LEFT JOIN names USING (chunk)" : "")
      WHERE rows.chunk >= ? ORDER BY rows.chunk LIMIT 1
      """, .integer(Int64(number)))
    guard let row else { return nil }
    return try JournalChunk(row, path: database.path, isNamed: isNamed)
  }

  static func each(
    in database: SQLiteConnection, version: Int, _ body: (JournalChunk) throws -> Void
  ) throws {
    var next = 0
    while let chunk = try first(from: next, in: database, version: version) {
      next = chunk.number + 1
      try body(chunk)
    }
  }

  private init(_ row: Row, path: String, isNamed: Bool) throws(ImportError) {
    number = Int(row[0].integer ?? 0)
    guard (0..<Self.numbers).contains(number) else { throw .journalDamaged(path, "it has rows of impossible numbers") }
    let blobs = (1...6).map { row[$0].blob ?? [] }
    let (fingerprints, textHashes, states) = (blobs[1], blobs[2], blobs[3])
    let count = fingerprints.count / 8
    guard fingerprints.count % 8 == 0, count <= Self.size, textHashes.count == 8 * count, states.count <= count,
      states.allSatisfy({ $0 < RowState.sent.rawValue }), let times = Self.seconds(blobs[0], count: count),
      let tasks = isNamed ? JournalTasks(blobs[4], most: states.count) : JournalTasks(),
      let sourceIDs = JournalTexts(blobs[5][...], most: count)
    else {
      let first = number * Self.size + 1
      throw .journalDamaged(path, "what it holds of rows \(first) to \(first + Self.size - 1) cannot be read")
    }
    self.fingerprints = Self.numbers(fingerprints)
    self.textHashes = Self.numbers(textHashes)
    self.times = times
    self.states = states + repeatElement(0, count: Self.size - states.count)
    stored.identity = JournalChunkPart(.rows, number, Array(blobs[..<3])).hash
    stored.outcomes = row[4].isNull ? 0 : JournalChunkPart(.outcomes, number, Array(blobs[3...4])).hash
    stored.names = row[6].isNull ? 0 : JournalChunkPart(.names, number, [blobs[5]]).hash
    self.tasks = tasks
    self.sourceIDs = sourceIDs
  }

  private var count: Int { (times.lastIndex { $0 != 0 } ?? -1) + 1 }

  var identity: JournalChunkPart {
    let blobs = [Self.runs(times[..<count]), Self.bytes(fingerprints[..<count]), Self.bytes(textHashes[..<count])]
    return JournalChunkPart(.rows, number, blobs)
  }

  var names: JournalChunkPart { JournalChunkPart(.names, number, [sourceIDs.bytes]) }

  var outcomes: JournalChunkPart { JournalChunkPart(.outcomes, number, [Array(states[..<count]), tasks.bytes]) }

  private static func bytes(_ numbers: ArraySlice<UInt64>) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }

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
    // Each run is of one row at least.
    guard runs.count % 5 == 0, runs.count <= 5 * count else { return nil }
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

/// A part of a chunk as it is stored. Numbers are little-endian, as on every machine this program runs on.
struct JournalChunkPart: Sendable {
  enum Table: UInt8, Sendable {
    case rows = 1
    case outcomes
    case names
  }

  private let table: Table
  private let number: Int
  /// In the order of the table's columns.
  /// In `rows`, the times: for each run of rows with the same time, the run's length less one, and the time in four
  /// bytes; then the fingerprints and the hashes of texts, eight bytes a row. In `outcomes`, the states: a byte a row,
  /// for fewer rows if the last ones have none; then the tasks, as `JournalTasks`. In `names`, the names that the source
  /// has for the rows, as `JournalTexts`; no entry if it has none.
  private let blobs: [[UInt8]]

  init(_ table: Table, _ number: Int, _ blobs: [[UInt8]]) {
    self.table = table
    self.number = number
    self.blobs = blobs
  }

  var hash: UInt64 {
    var hash = StableHash()
    hash.add(table.rawValue)
    withUnsafeBytes(of: number.littleEndian) { hash.add($0) }
    for blob in blobs { blob.withUnsafeBytes { hash.add($0) } }
    return hash.value
  }

  func write(_ database: SQLiteConnection, prefix: String = "") throws(SQLiteError) {
    let marks = blobs.map { _ in ", ?" }.joined()
    try database.execute(
      "INSERT OR REPLACE INTO \(prefix)\(table) VALUES (?\(marks))",
      values: [.integer(Int64(number))] + blobs.map(SQLValue.blob))
  }
}
