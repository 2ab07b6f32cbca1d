import Glibc

/// Finds rows and fields in a piece of text, eight bytes at a time. It may read up to eight bytes behind the text.
struct CSVCursor {
  enum Problem: Error {
    case unclosedQuote(line: Int)
    /// There is text behind the closing quote of the field with that number.
    case misplacedQuote(line: Int, field: Int)
    case tooManyFields(line: Int)
    /// The quote of a field takes in lines that look like rows.
    case swallowedRows(line: Int)
    /// A line behind a broken row is not a row of the table: it has so many fields, or a stray quote.
    case remainder(fields: Int)
  }

  /// A place between two rows.
  struct Mark {
    fileprivate(set) var position: Int
    fileprivate(set) var line: Int
    fileprivate(set) var fields: Int
    fileprivate var escaped: Int
    fileprivate(set) var quotes: Int
  }

  enum Step {
    case row, emptyLine
    /// The text ends before the row; the cursor has not moved.
    case incomplete
  }

  private struct Quoting {
    let quote: UInt8
    let escape: UInt8?
    /// True if a blank stands behind each separator, so that a quote behind it opens a field.
    let hasBlanks: Bool
    /// The blank that may stand around a quoted field. If a blank separates fields, it is the quote itself, which is looked for first.
    let blank: UInt8

    init(_ dialect: CSVDialect) {
      (quote, escape, hasBlanks) = (dialect.quote, dialect.escape, dialect.hasBlanks)
      blank = dialect.separator == UInt8(ascii: " ") ? quote : UInt8(ascii: " ")
    }
  }

  /// The columns of a spreadsheet. More fields come from a wrong separator.
  static let mostFields = 16_384
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
  private let quoting: Quoting
  private(set) var position = 0
  private(set) var line: Int
  /// All fields, and the indices of those with doubled quotes.
  var fields: ContiguousArray<CSVField>
  var escaped: [Int] = []
  /// The quotes around quoted fields and the doubled ones in them: all that a table without stray quotes has.
  private(set) var quotes = 0

  /// - Parameter fields: memory to be reused.
  init(
    _ text: UnsafeRawBufferPointer, isLast: Bool, isSheet: Bool, dialect: CSVDialect, line: Int,
    fields: consuming ContiguousArray<CSVField>
  ) {
    base = text.baseAddress.unsafelyUnwrapped
    end = text.count
    self.isLast = isLast
    self.isSheet = isSheet
    separator = dialect.separator
    separators = Word.all(separator)
    quoting = Quoting(dialect)
    self.line = line
    self.fields = fields
    self.fields.removeAll(keepingCapacity: true)
  }

  /// Moves behind the next row. If it throws, it does not move.
  @inline(__always)
  mutating func next() throws(Problem) -> Step {
    let start = mark
    var isComplete = false
    defer { if !isComplete { back(to: start) } }
    isComplete = try scan()
    guard isComplete else { return .incomplete }
    let isEmpty = fields.count == start.fields + 1 && fields[start.fields].end == UInt32(start.position)
    // A field of two quotes is not empty, and begins behind the first.
    guard isEmpty, fields[start.fields].start == UInt32(start.position) else { return .row }
    fields.removeLast()
    return .emptyLine
  }

  var mark: Mark {
    Mark(position: position, line: line, fields: fields.count, escaped: escaped.count, quotes: quotes)
  }

  /// Forgets the rows behind a place.
  mutating func back(to mark: Mark) {
    (position, line, quotes) = (mark.position, mark.line, mark.quotes)
    fields.removeLast(fields.count - mark.fields)
    escaped.removeLast(escaped.count - mark.escaped)
  }

  /// Adds empty fields to the last row, which begins with the field `first`: a sheet leaves out the empty cells at its end.
  mutating func pad(_ first: Int, to count: Int) {
    while fields.count - first < count { fields.append(CSVField(start: 0, end: 0)) }
  }

  /// Changes the last row, which begins with the field `first`, as its dialect wants it: takes the empty fields between doubled
  /// separators out, and the blanks at the beginnings of fields off.
  mutating func strip(_ first: Int, _ dialect: CSVDialect) {
    let count = fields.count - first
    if dialect.repeats > 1, (count - 1) % dialect.repeats == 0 {
      let isDoubled = (0..<count).allSatisfy { $0 % dialect.repeats == 0 || fields[first + $0].isEmpty }
      if isDoubled {
        escaped = escaped.filter { $0 < first || ($0 - first) % dialect.repeats == 0 }.map {
          $0 < first ? $0 : first + ($0 - first) / dialect.repeats
        }
        let kept = stride(from: 0, to: count, by: dialect.repeats).map { fields[first + $0] }
        fields.replaceSubrange(first..., with: kept)
      }
    }
    guard dialect.hasBlanks else { return }
    for index in fields.indices.dropFirst(first + 1) where !fields[index].isEmpty {
      let start = Int(fields[index].start)
      // A blank behind a quote belongs to the field.
      if byte(start) == UInt8(ascii: " "), byte(start - 1) != quoting.quote { fields[index].start += 1 }
    }
  }

  /// Finds the fields of a row. Returns false if the text ends before the row.
  @inline(__always)
  private mutating func scan() throws(Problem) -> Bool {
    let first = fields.count
    while true {
      if position < end, byte(position) == quoting.quote || byte(position) == quoting.blank && skipBlanks() {
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
    var found = 2
    if quoting.escape != nil { escaped.append(fields.count) }
    while true {
      guard let place = memchr(base + index, Int32(quoting.quote), end - index) else {
        if isLast { throw .unclosedQuote(line: line) }
        return false
      }
      index = UnsafeRawPointer(place) - base
      if let escape = quoting.escape, isEscaped(index, from: start, by: escape) {
        index += 1
        found += 1
        continue
      }
      guard index + 1 < end || isLast else { return false }
      guard index + 1 < end, byte(index + 1) == quoting.quote else { break }
      if escaped.last != fields.count { escaped.append(fields.count) }
      index += 2
      found += 2
    }
    if !isSheet { line += lineBreaks(in: UnsafeRawBufferPointer(start: base + start, count: index - start)) }
    fields.append(CSVField(start: UInt32(start), end: UInt32(index)))
    position = index + 1
    quotes += found
    return position == end || byte(position) != quoting.blank || passBlanks()
  }

  /// Moves to a quote behind blanks, if the field that it opens is closed in the same line: `Milk, "2 l, cold", Home`. Other fields
  /// begin with their blanks.
  @inline(never)
  private mutating func skipBlanks() -> Bool {
    var start = position
    while start < end, byte(start) == quoting.blank { start += 1 }
    guard start < end, byte(start) == quoting.quote else { return false }
    if quoting.hasBlanks {
      position = start
      return true
    }
    var index = start + 1
    while index < end, byte(index) != Self.lineFeed, byte(index) != Self.carriageReturn {
      if byte(index) == quoting.quote {
        guard index + 1 < end, byte(index + 1) == quoting.quote else { break }
        index += 1
      }
      index += 1
    }
    guard index < end, byte(index) == quoting.quote else { return false }
    index += 1
    while index < end, byte(index) == quoting.blank { index += 1 }
    guard index == end || isFieldEnd(byte(index)) else { return false }
    position = start
    return true
  }

  /// Moves over the blanks behind a closing quote, if nothing else follows. Returns false if the text ends there.
  @inline(never)
  private mutating func passBlanks() -> Bool {
    var index = position
    while index < end, byte(index) == quoting.blank { index += 1 }
    if index == end, !isLast { return false }
    if index == end || isFieldEnd(byte(index)) { position = index }
    return true
  }

  private func isFieldEnd(_ byte: UInt8) -> Bool {
    byte == separator || byte == Self.lineFeed || byte == Self.carriageReturn
  }

  /// True if an odd number of escapes stands before `index`.
  private func isEscaped(_ index: Int, from start: Int, by escape: UInt8) -> Bool {
    var first = index
    while first > start, byte(first - 1) == escape { first -= 1 }
    return (index - first) % 2 == 1
  }

  @inline(__always) private func byte(_ index: Int) -> UInt8 { base.load(fromByteOffset: index, as: UInt8.self) }
}
