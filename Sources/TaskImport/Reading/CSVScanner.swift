import Glibc

/// Finds rows and fields in the bytes of a file; knows nothing of names.
///
/// It looks for the next line break, quote or separator with `memchr`, which libc has in vector instructions; no byte
/// is looked at one at a time unless it is one of these.
final class CSVScanner {
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  /// Rows beyond this come from a quote that is not closed: better to say so than to take all memory.
  private static let maximumRowSize = 64 << 20

  private let path: String
  private let separator: UInt8
  private let buffer: FileBuffer
  /// The line on which the next row begins.
  private var line = 1
  /// Where the next line feed and carriage return are, as far as known. Kept between fields and rows: in a file that
  /// has none of the one, looking for it again in each row would read the whole window each time.
  private var nextLineFeed = -1
  private var nextCarriageReturn = -1

  init(path: String, separator: UInt8) throws(ImportError) {
    self.path = path
    self.separator = separator
    buffer = try FileBuffer(path: path)
    try skipByteOrderMark()
  }

  var bytesRead: Int { buffer.consumed }
  var totalBytes: Int? { buffer.totalBytes }

  /// Reads the next row that is not an empty line into `record`; false at the end of the file.
  func next(_ record: inout CSVRecord) throws(ImportError) -> Bool {
    while true {
      record.fields.removeAll(keepingCapacity: true)
      record.line = line
      guard buffer.start < buffer.end else {
        if buffer.isAtEnd { return false }
        try refill()
        continue
      }
      guard let row = try scan(&record) else {
        try refill()
        continue
      }
      defer { buffer.consume(row.next - buffer.start) }
      line = row.line
      if row.end == buffer.start { continue }
      try take(UnsafeRawBufferPointer(rebasing: window[buffer.start..<row.end]), into: &record)
      return true
    }
  }

  /// A row found: where its last field ends, where the next row begins, and on which line.
  private struct Extent {
    var end: Int
    var next: Int
    var line: Int
  }

  /// The fields from `buffer.start` to the end of the row; nil when the window does not hold all of it.
  private func scan(_ record: inout CSVRecord) throws(ImportError) -> Extent? {
    let start = buffer.start
    let end = buffer.end
    let base = buffer.base.assumingMemoryBound(to: UInt8.self)
    var position = start
    var line = self.line
    while true {
      if position < end, base[position] == Self.quote {
        guard let field = try quotedField(from: position, line: line) else { return nil }
        record.fields.append(.init(start: position + 1 - start, end: field.close - start, isEscaped: field.isEscaped))
        line += field.lineBreaks
        position = field.close + 1
      } else {
        let lineEnd = self.lineEnd(from: position)
        if lineEnd == end, !buffer.isAtEnd { return nil }
        let fieldEnd = find(separator, from: position, to: lineEnd)
        record.fields.append(.init(start: position - start, end: fieldEnd - start, isEscaped: false))
        position = fieldEnd
      }
      guard position < end else {
        return buffer.isAtEnd ? Extent(end: end, next: end, line: line) : nil
      }
      switch base[position] {
      case separator:
        position += 1
      case Self.lineFeed:
        return Extent(end: position, next: position + 1, line: line + 1)
      case Self.carriageReturn:
        guard position + 1 < end else {
          return buffer.isAtEnd ? Extent(end: position, next: end, line: line + 1) : nil
        }
        let isPair = base[position + 1] == Self.lineFeed
        return Extent(end: position, next: position + (isPair ? 2 : 1), line: line + 1)
      default:
        throw ImportError(
          kind: .misplacedQuote,
          message: "\(path):\(line): field \(record.fields.count) goes on after its closing quote",
          hint: "a quote inside a quoted field is written twice", line: line)
      }
    }
  }

  private struct QuotedField {
    /// The closing quote.
    var close: Int
    var isEscaped: Bool
    var lineBreaks: Int
  }

  /// The field whose opening quote is at `open`; nil when the window does not hold all of it.
  private func quotedField(from open: Int, line: Int) throws(ImportError) -> QuotedField? {
    let end = buffer.end
    let base = buffer.base.assumingMemoryBound(to: UInt8.self)
    var isEscaped = false
    var position = open + 1
    while true {
      let close = find(Self.quote, from: position, to: end)
      guard close < end else {
        guard buffer.isAtEnd || end - open > Self.maximumRowSize else { return nil }
        let reach = buffer.isAtEnd ? "" : " within \(Self.maximumRowSize >> 20) MiB"
        throw ImportError(
          kind: .unclosedQuote, message: "\(path):\(line): the quote that opens a field here is never closed\(reach)",
          hint: "a quote inside a quoted field is written twice", line: line)
      }
      guard close + 1 < end || buffer.isAtEnd else { return nil }
      guard close + 1 < end, base[close + 1] == Self.quote else {
        return QuotedField(close: close, isEscaped: isEscaped, lineBreaks: lineBreaks(from: open + 1, to: close))
      }
      isEscaped = true
      position = close + 2
    }
  }

  /// Copies a row out of the window, once it is known to be UTF-8.
  private func take(_ bytes: UnsafeRawBufferPointer, into record: inout CSVRecord) throws(ImportError) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
    } catch {
      throw invalidUTF8(bytes, at: error.byteOffsets.lowerBound, line: record.line)
    }
    record.bytes.removeAll(keepingCapacity: true)
    record.bytes.append(contentsOf: bytes)
    if record.fields.contains(where: \.isEscaped) { record.removeDoubledQuotes() }
  }

  // MARK: Looking for bytes

  private var window: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: buffer.base, count: buffer.end) }

  /// The first `byte` in the window's `from..<to`, else `to`.
  @inline(__always)
  private func find(_ byte: UInt8, from: Int, to: Int) -> Int {
    guard from < to, let found = memchr(buffer.base + from, Int32(byte), to - from) else { return to }
    return UnsafeRawPointer(found) - buffer.base
  }

  /// The first line break at or behind `position`, else the end of the window.
  @inline(__always)
  private func lineEnd(from position: Int) -> Int {
    if nextLineFeed < position { nextLineFeed = find(Self.lineFeed, from: position, to: buffer.end) }
    if nextCarriageReturn < position {
      nextCarriageReturn = find(Self.carriageReturn, from: position, to: buffer.end)
    }
    return min(nextLineFeed, nextCarriageReturn)
  }

  /// How many line breaks stand in `from..<to`, a CRLF being one.
  private func lineBreaks(from: Int, to: Int) -> Int {
    var count = 0
    var position = from
    while case let found = lineEnd(from: position), found < to {
      count += 1
      position = found + (window[found] == Self.carriageReturn && window[found + 1] == Self.lineFeed ? 2 : 1)
    }
    return count
  }

  /// What is known of them is void when the window moves, and when the search goes back.
  private func forgetLineBreaks() {
    nextLineFeed = -1
    nextCarriageReturn = -1
  }

  private func refill() throws(ImportError) {
    guard buffer.end - buffer.start <= Self.maximumRowSize else {
      throw ImportError(
        kind: .rowTooLong, message: "\(path):\(line): this row is longer than \(Self.maximumRowSize >> 20) MiB",
        hint: "is this a CSV file?", line: line)
    }
    try buffer.fill()
    forgetLineBreaks()
  }

  // MARK: Encoding

  private func skipByteOrderMark() throws(ImportError) {
    while buffer.end < 3, !buffer.isAtEnd { try buffer.fill() }
    let start = Array(window.prefix(3))
    if start == [0xEF, 0xBB, 0xBF] { buffer.consume(3) }
    if start.prefix(2) == [0xFF, 0xFE] || start.prefix(2) == [0xFE, 0xFF] {
      throw ImportError(
        kind: .invalidUTF8, message: "\(path) is UTF-16, expected UTF-8",
        hint: "convert it: iconv -f UTF-16 -t UTF-8", line: 1)
    }
  }

  private func invalidUTF8(_ bytes: UnsafeRawBufferPointer, at offset: Int, line first: Int) -> ImportError {
    forgetLineBreaks()
    let line = first + lineBreaks(from: buffer.start, to: buffer.start + offset)
    let byte = String(bytes[offset], radix: 16, uppercase: true)
    return ImportError(
      kind: .invalidUTF8,
      message: "\(path):\(line): the file is not UTF-8: byte 0x\(byte) at offset \(buffer.consumed + offset)",
      hint: "convert it: iconv -f WINDOWS-1252 -t UTF-8", line: line)
  }
}
