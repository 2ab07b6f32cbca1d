/// A row that cannot be read, while it is passed over: one that is too long, or a line with a stray quote. It fails alone: the
/// rows behind it can be read.
struct SkippedRow {
  /// So much of the row tells it from others, with its length.
  private static let head = 64 << 10
  /// So much of a row that is too long is shown.
  private static let shown = 200

  /// Its first line in the file.
  let line: Int
  let kind: ImportError.Kind
  let reason: String
  private var beginning: [UInt8] = []
  private var count = 0
  /// The line breaks in the row, without its last.
  private(set) var lineBreaks = 0
  private var isQuoted = false
  private var isAtFieldStart = true
  private var hasClosed = false
  private var lastByte: UInt8 = 0
  /// The line of the last quote that opened a field.
  private var quoteLine = 0
  /// Nil for a single line, in which quotes mean nothing.
  private let dialect: CSVDialect?

  /// - Parameter dialect: nil for a row of one line, whatever its quotes are.
  init(line: Int, kind: ImportError.Kind = .rowTooLong, reason: String, dialect: CSVDialect? = nil) {
    self.line = line
    self.kind = kind
    self.reason = reason
    self.dialect = dialect
  }

  /// The line of a quote that is not closed yet.
  private var openQuoteLine: Int? { isQuoted ? quoteLine : nil }

  /// Takes the bytes of the row. Returns the number of bytes up to the end of the row and its line break; nil if the row
  /// continues behind them.
  mutating func take(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Int? {
    for (index, byte) in bytes.enumerated() {
      if let end = take(byte, index, bytes, isLast: isLast) { return end }
    }
    return isLast ? bytes.count : nil
  }

  private mutating func take(
    _ byte: UInt8, _ index: Int, _ bytes: UnsafeRawBufferPointer, isLast: Bool
  ) -> Int? {
    let isBreak = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    if isBreak, !isQuoted {
      // The line feed of a CRLF is an empty line if it comes with the next bytes, and is passed over there.
      let isPair = byte == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
      return index + (isPair ? 2 : 1)
    }
    if isBreak, byte == UInt8(ascii: "\r") || lastByte != UInt8(ascii: "\r") { lineBreaks += 1 }
    if byte == dialect?.quote, isQuoted || isAtFieldStart || hasClosed {
      hasClosed = isQuoted
      isQuoted.toggle()
      if isQuoted { quoteLine = line + lineBreaks }
    } else {
      hasClosed = false
    }
    isAtFieldStart = byte == dialect?.separator && !isQuoted
    lastByte = byte
    if count < Self.head { beginning.append(byte) }
    count += 1
    return nil
  }

  /// True if the row is longer than its known beginning.
  var isLong: Bool { count > beginning.count }

  /// The names of the columns in a header with a stray quote; nil for a line without a separator.
  func names(_ dialect: CSVDialect) -> [String]? {
    if isLong { return nil }
    let names = beginning.split(separator: dialect.separator, omittingEmptySubsequences: false).map {
      CSVReader.unquoted(String(decoding: $0, as: UTF8.self))
    }
    return names.count > 1 ? names : nil
  }

  func record(number: Int) -> SourceRecord {
    // Without its end, nobody knows which of the lines are rows.
    if let quote = openQuoteLine {
      let reason =
        "the quote that opens a field in line \(quote) is never closed: the lines up to \(line + lineBreaks), the last one, are not read"
      return Self.record(number, line: line, .unclosedQuote, reason, beginning, count: count)
    }
    return Self.record(number, line: line, kind, reason, beginning, count: count)
  }

  /// The record of a row that is passed over, by its beginning and its length.
  static func record(
    _ number: Int, line: Int, _ kind: ImportError.Kind, _ reason: String, _ beginning: [UInt8], count: Int
  ) -> SourceRecord {
    var hash = StableHash.ofContent()
    beginning.withUnsafeBytes { hash.add($0) }
    withUnsafeBytes(of: count.littleEndian) { hash.add($0) }
    let isWhole = count == beginning.count && kind != .rowTooLong
    let text = String(decoding: isWhole ? beginning[...] : beginning.prefix(shown), as: UTF8.self)
    return SourceRecord(
      number: number, line: line,
      content: .malformed(code: kind.rawValue, reason: reason, fields: [isWhole ? text : "\(text)…"]),
      fingerprint: hash.value)
  }
}
