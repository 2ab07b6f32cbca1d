/// A field's place in the text of its batch.
struct CSVField: Sendable {
  var start: UInt32
  var end: UInt32

  var isEmpty: Bool { start == end }
}

struct CSVExtent: Sendable {
  /// The index of its first field in the batch.
  var first: Int
  var count: Int
  /// Its first line in the file, counting from 1.
  var line: Int
  /// The offset of the next row in the batch's text.
  var end: Int
}

/// The text of successive rows of a file, and the places of their fields. Its rows share it: a row needs no memory of
/// its own. Sendable though it holds pointers: it never changes, and its memory lives as long as it.
final class CSVBatch: @unchecked Sendable {
  let header: CSVHeader
  private let isSheet: Bool
  /// True if the file has lines that cannot be used as they are, maybe in these rows.
  let mayHaveFaults: Bool
  private let text: UnsafeMutableRawBufferPointer
  private let fields: UnsafeMutableBufferPointer<CSVField>
  private let rows: UnsafeMutableBufferPointer<CSVExtent>
  private let dialect: CSVDialect
  /// The faults of rows, by the indices of their first fields.
  private let faults: [Int: StrayQuotes.Fault]

  /// - Parameters:
  ///   - escaped: the fields with doubled quotes, which are made single.
  ///   - quotes: the number of quotes around fields and of doubled ones in them.
  init(
    _ text: UnsafeRawBufferPointer, rows: ContiguousArray<CSVExtent>, fields: ContiguousArray<CSVField>, escaped: [Int],
    quotes: Int, dialect: CSVDialect, header: CSVHeader, isSheet: Bool, mayHaveFaults: Bool
  ) {
    self.mayHaveFaults = mayHaveFaults
    self.dialect = dialect
    faults = isSheet ? [:] : StrayQuotes(text, dialect).faults(rows, fields, expected: quotes)
    self.header = header
    self.isSheet = isSheet
    self.text = .allocate(byteCount: text.count, alignment: 16)
    self.text.copyMemory(from: text)
    self.fields = .allocate(capacity: fields.count)
    _ = self.fields.initialize(from: fields)
    self.rows = .allocate(capacity: rows.count)
    _ = self.rows.initialize(from: rows)
    for index in escaped { removeDoubledQuotes(index) }
    if header.isGuarded { removeGuards() }
  }

  deinit {
    text.deallocate()
    fields.deallocate()
    rows.deallocate()
  }

  var count: Int { rows.count }

  @inline(__always) func row(_ index: Int) -> CSVExtent { rows[index] }

  @inline(__always) func field(_ index: Int) -> CSVField { fields[index] }

  /// A field's bytes, valid as long as the batch.
  @inline(__always)
  func bytes(of field: CSVField) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[Int(field.start)..<Int(field.end)])
  }

  /// The fault of the row that begins with a field.
  @inline(__always)
  func fault(_ first: Int) -> StrayQuotes.Fault? { faults.isEmpty ? nil : faults[first] }

  func fingerprint(_ first: Int, _ count: Int) -> UInt64 {
    let base = UnsafeRawPointer(text.baseAddress.unsafelyUnwrapped)
    var hash = StableHash.ofContent()
    for index in first..<first + count {
      let field = fields[index]
      hash.add(base + Int(field.start), Int(field.end - field.start))
    }
    return hash.value
  }

  /// The last line of a row.
  func endLine(_ first: Int, _ count: Int, from line: Int) -> Int {
    guard !isSheet else { return line }
    return fields[first..<first + count].reduce(line) { $0 + lineBreaks(in: bytes(of: $1)) }
  }

  private func removeGuards() {
    for (index, field) in fields.enumerated() where field.end - field.start > 1 {
      let start = Int(field.start)
      if SpreadsheetGuard.isGuarded(text[start], text[start + 1]) { fields[index].start += 1 }
    }
  }

  private func removeDoubledQuotes(_ index: Int) {
    var target = Int(fields[index].start)
    var source = target
    let end = Int(fields[index].end)
    while source < end {
      if text[source] == dialect.escape, source + 1 < end, isEscapable(text[source + 1]) { source += 1 }
      let byte = text[source]
      text[target] = byte
      target += 1
      source += byte == dialect.quote && source + 1 < end && text[source + 1] == dialect.quote ? 2 : 1
    }
    fields[index].end = UInt32(target)
  }

  private func isEscapable(_ byte: UInt8) -> Bool { byte == dialect.quote || byte == dialect.escape }
}
