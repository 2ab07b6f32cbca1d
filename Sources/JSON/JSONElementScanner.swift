/// Cuts JSON text that comes in pieces into its elements, so that an array of any length never is in memory as a whole.
///
/// It follows strings, escapes and brackets only; whether an element is JSON is seen when it is parsed, by
/// `json(_:)`. What stands between the elements is checked here: no text is taken for complete that is cut off.
///
///     var scanner = JSONElementScanner()
///     while let piece = try read() {
///       scanner.append(piece)
///       while let element = try scanner.next() { use(try scanner.json(element)) }
///     }
///     scanner.finish()
///     while let element = try scanner.next() { use(try scanner.json(element)) }
package struct JSONElementScanner: Sendable {
  package enum Layout: Sendable {
    /// One array; its elements are cut out.
    case array
    /// Values one behind the other, with or without white space between them: NDJSON, and what `jq` writes.
    case values
  }

  private var buffer: [UInt8] = []
  private var cursor: JSONElementCursor
  private var isFinished = false

  /// - Parameter maximumElementSize: bytes; a larger element is an error.
  package init(_ layout: Layout = .array, maximumElementSize: Int = 64 << 20) {
    cursor = JSONElementCursor(layout, maximumElementSize: maximumElementSize)
  }

  /// Takes the next bytes of the text. Elements given before are not valid any more.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    dropScanned()
    buffer.append(contentsOf: bytes)
  }

  /// Takes the next bytes of the text. Elements given before are not valid any more.
  package mutating func append(_ bytes: [UInt8]) {
    bytes.span.bytes.withUnsafeBytes { append($0) }
  }

  /// Says that the text ends here.
  package mutating func finish() { isFinished = true }

  /// The next element; nil when more bytes are needed, and after `finish` when there is none left. Throws for what is
  /// no array, cut off, or goes on behind its end.
  package mutating func next() throws(JSONError) -> JSONElement? {
    var cursor = self.cursor
    defer { self.cursor = cursor }
    let isLast = isFinished
    return try buffer.span.bytes.withUnsafeBytes { (bytes) throws(JSONError) in
      try cursor.next(in: bytes, isLast: isLast)
    }
  }

  /// The bytes of the element that `next` gave last.
  package func bytes(of element: JSONElement) -> [UInt8] { Array(buffer[element.range]) }

  /// Calls `body` with the bytes of the element that `next` gave last; they are not valid outside of it.
  package func withBytes<Result, Problem>(
    of element: JSONElement, _ body: (UnsafeRawBufferPointer) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try buffer.span.bytes.withUnsafeBytes { (bytes) throws(Problem) in
      try body(UnsafeRawBufferPointer(rebasing: bytes[element.range]))
    }
  }

  /// Parses the element that `next` gave last. The place in an error is that in the whole text.
  package func json(_ element: JSONElement) throws(JSONError) -> JSON {
    do {
      return try withBytes(of: element) { (bytes) throws(JSONError) in try JSON(parsing: bytes) }
    } catch {
      throw element.placed(error)
    }
  }

  private mutating func dropScanned() {
    buffer.removeFirst(cursor.drop())
  }
}

/// A value cut out of a longer text.
package struct JSONElement: Sendable {
  /// Counted from 1.
  package var number: Int
  /// Bytes of the text before it.
  package var offset: Int
  /// Where it begins, both counted from 1; the column in characters.
  package var line: Int
  package var column: Int
  /// Where it is in the scanner's buffer.
  var range: Range<Int>

  /// How many bytes long it is.
  package var count: Int { range.count }

  /// An error in this element, with the place in the whole text.
  package func placed(_ error: JSONError) -> JSONError {
    var error = error
    if error.line == 1, let column = error.column { error.column = column + self.column - 1 }
    error.line = (error.line ?? 1) + line - 1
    error.column = error.column ?? column
    error.offset = offset + (error.offset ?? 0)
    return error
  }
}
