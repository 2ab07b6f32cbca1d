import Glibc

/// Finds rows and fields in a piece of text, eight bytes at a time. It may read up to eight bytes behind the text.
struct CSVCursor {
  enum Problem: Error {
    case unclosedQuote(line: Int)
    /// There is text behind the closing quote of the field with that number.
    case misplacedQuote(line: Int, field: Int)
    case tooManyFields(line: Int)
  }

  enum Step {
    case row, emptyLine
    /// The text ends before the row; the cursor has not moved.
    case incomplete
  }

  /// The columns of a spreadsheet. More fields come from a wrong separator.
  static let mostFields = 16_384
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private let base: UnsafeRawPointer
  private let end: Int
  /// True if the file ends with the text.
  private let isLast: Bool
  /// True for the rows of a sheet, each of which is one line.
  private let isSheet: Bool
  private let separator: UInt8
  private let separators: UInt64
  private(set) var position = 0
  private(set) var line: Int
  /// All fields, and the indices of those with doubled quotes.
  var fields: ContiguousArray<CSVField>
  var escaped: [Int] = []

  /// - Parameter fields: memory to be reused.
  init(
    _ text: UnsafeRawBufferPointer, isLast: Bool, isSheet: Bool, separator: UInt8, line: Int,
    fields: consuming ContiguousArray<CSVField>
  ) {
    base = text.baseAddress.unsafelyUnwrapped
    end = text.count
    self.isLast = isLast
    self.isSheet = isSheet
    self.separator = separator
    separators = Word.all(separator)
    self.line = line
    self.fields = fields
    self.fields.removeAll(keepingCapacity: true)
  }

  /// Moves behind the next row. If it throws, it does not move.
  mutating func next() throws(Problem) -> Step {
    let start = (position: position, line: line, fields: fields.count, escaped: escaped.count)
    var isComplete = false
    defer {
      if !isComplete {
        (position, line) = (start.position, start.line)
        fields.removeLast(fields.count - start.fields)
        escaped.removeLast(escaped.count - start.escaped)
      }
    }
    isComplete = try scan()
    guard isComplete else { return .incomplete }
    let isEmpty = fields.count == start.fields + 1 && fields[start.fields].end == UInt32(start.position)
    // A field of two quotes is not empty, and begins behind the first.
    guard isEmpty, fields[start.fields].start == UInt32(start.position) else { return .row }
    fields.removeLast()
    return .emptyLine
  }

  /// Adds empty fields to the last row, which begins with the field `first`: a sheet leaves out the empty cells at its end.
  mutating func pad(_ first: Int, to count: Int) {
    while fields.count - first < count { fields.append(CSVField(start: 0, end: 0)) }
  }

  /// Finds the fields of a row. Returns false if the text ends before the row.
  private mutating func scan() throws(Problem) -> Bool {
    let first = fields.count
    while true {
      if position < end, byte(position) == Self.quote {
        guard try quotedField() else { return false }
      } else {
        let start = position
        skipToFieldEnd()
        fields.append(CSVField(start: UInt32(start), end: UInt32(position)))
      }
      guard position < end else { return isLast }
      switch byte(position) {
      case separator:
        position += 1
        guard fields.count - first < Self.mostFields else { throw .tooManyFields(line: line) }
      case Self.lineFeed:
        position += 1
        line += 1
        return true
      case Self.carriageReturn:
        guard position + 1 < end || isLast else { return false }
        position += position + 1 < end && byte(position + 1) == Self.lineFeed ? 2 : 1
        line += 1
        return true
      default: throw .misplacedQuote(line: line, field: fields.count - first)
      }
    }
  }

  /// Moves to the next separator or line break, or to the end of the text.
  @inline(__always)
  private mutating func skipToFieldEnd() {
    var index = position
    while index < end {
      let word = base.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
      let found =
        Word.zeros(word ^ separators) | Word.zeros(word ^ Word.lineFeeds) | Word.zeros(word ^ Word.carriageReturns)
      index += found.trailingZeroBitCount / 8
      if found != 0 { break }
    }
    position = min(index, end)
  }

  /// Reads the field whose opening quote is at `position`. Returns false if its end is not in the text.
  private mutating func quotedField() throws(Problem) -> Bool {
    let start = position + 1
    var index = start
    while true {
      guard let found = memchr(base + index, Int32(Self.quote), end - index) else {
        if isLast { throw .unclosedQuote(line: line) }
        return false
      }
      index = UnsafeRawPointer(found) - base
      guard index + 1 < end || isLast else { return false }
      guard index + 1 < end, byte(index + 1) == Self.quote else { break }
      if escaped.last != fields.count { escaped.append(fields.count) }
      index += 2
    }
    if !isSheet { line += lineBreaks(in: UnsafeRawBufferPointer(start: base + start, count: index - start)) }
    fields.append(CSVField(start: UInt32(start), end: UInt32(index)))
    position = index + 1
    return true
  }

  @inline(__always) private func byte(_ index: Int) -> UInt8 { base.load(fromByteOffset: index, as: UInt8.self) }
}
