import Glibc

/// Finds rows and fields in the bytes of a file; knows nothing of names.
///
/// It looks for the next line break, quote or separator with `memchr`, which libc has in vector instructions; no byte
/// is looked at one at a time unless it is one of these.
final class CSVScanner {
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private let separator: UInt8
  private let buffer: FileBuffer
  /// The line on which the next row begins.
  private var line = 1
  /// That of a quote whose end is not in the window.
  private var openQuoteLine: Int?
  /// Where the next line feed and carriage return are, as far as known. Kept between fields and rows: in a file that
  /// has none of the one, looking for it again in each row would read the whole window each time.
  private var nextLineFeed = -1
  private var nextCarriageReturn = -1

  init(_ buffer: FileBuffer, separator: UInt8) {
    self.buffer = buffer
    self.separator = separator
  }

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
      take(UnsafeRawBufferPointer(rebasing: window[buffer.start..<row.end]), into: &record)
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
          message: "\(buffer.name):\(line): field \(record.fields.count) goes on after its closing quote",
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
        openQuoteLine = line
        guard buffer.isAtEnd else { return nil }
        throw unclosedQuote(line, reach: "")
      }
      guard close + 1 < end || buffer.isAtEnd else { return nil }
      guard close + 1 < end, base[close + 1] == Self.quote else {
        return QuotedField(close: close, isEscaped: isEscaped, lineBreaks: lineBreaks(from: open + 1, to: close))
      }
      isEscaped = true
      position = close + 2
    }
  }

  private func unclosedQuote(_ line: Int, reach: String) -> ImportError {
    ImportError(
      kind: .unclosedQuote,
      message: "\(buffer.name):\(line): the quote that opens a field here is never closed\(reach)",
      hint: "a quote inside a quoted field is written twice", line: line)
  }

  /// Copies a row out of the window.
  private func take(_ bytes: UnsafeRawBufferPointer, into record: inout CSVRecord) {
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
    do {
      try buffer.fill(line: line)
    } catch {
      guard error.kind == .rowTooLong, let openQuoteLine else { throw error }
      throw unclosedQuote(openQuoteLine, reach: " within \(FileBuffer.maximumRowSize >> 20) MiB")
    }
    openQuoteLine = nil
    forgetLineBreaks()
  }
}
