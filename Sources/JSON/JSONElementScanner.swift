/// Cuts JSON text that comes in pieces into its elements, so that a long array need not fit into memory. It follows
/// only strings, escapes and brackets, and checks the text between the elements, so that cut-off text is an error.
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
    /// The elements of one array.
    case array
    /// Values one after the other, with or without white space between them: NDJSON, and the output of `jq`.
    case values
  }

  private var buffer: [UInt8] = []
  private var cursor: JSONElementCursor
  private var isFinished = false

  /// - Parameters:
  ///   - maximumElementSize: bytes; a larger element is an error.
  ///   - passesOverLarge: true to return a larger element by its beginning alone, and to go on behind it.
  package init(_ layout: Layout = .array, maximumElementSize: Int = 64 << 20, passesOverLarge: Bool = false) {
    cursor = JSONElementCursor(
      layout, maximumElementSize: maximumElementSize, passesOverLarge: passesOverLarge)
  }

  /// Adds the next bytes of the text. Earlier elements are no longer valid.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    dropScanned()
    buffer.append(contentsOf: bytes)
  }

  /// Adds the next bytes of the text. Earlier elements are no longer valid.
  package mutating func append(_ bytes: [UInt8]) { bytes.span.bytes.withUnsafeBytes { append($0) } }

  /// Declares that the text is complete.
  package mutating func finish() { isFinished = true }

  /// The next element; nil if more bytes are needed, or after `finish` if none is left. Throws for a text that is no array,
  /// is cut off, or continues behind the array.
  package mutating func next() throws(JSONError) -> JSONElement? {
    var cursor = self.cursor
    defer { self.cursor = cursor }
    let isLast = isFinished
    return try buffer.span.bytes.withUnsafeBytes { (bytes) throws(JSONError) in
      try cursor.next(in: bytes, isLast: isLast)
    }
  }

  /// The bytes of the element that `next` returned last.
  package func bytes(of element: JSONElement) -> [UInt8] { Array(buffer[element.range]) }

  /// Calls `body` with the bytes of the element that `next` returned last. They are not valid outside of `body`.
  package func withBytes<Result, Problem>(
    of element: JSONElement, _ body: (UnsafeRawBufferPointer) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try buffer.span.bytes.withUnsafeBytes { (bytes) throws(Problem) in
      try body(UnsafeRawBufferPointer(rebasing: bytes[element.range]))
    }
  }

  /// Parses the element that `next` returned last. An error has the place in the whole text.
  package func json(_ element: JSONElement) throws(JSONError) -> JSON {
    do {
      return try withBytes(of: element) { (bytes) throws(JSONError) in try JSON(parsing: bytes) }
    } catch { throw element.placed(error) }
  }

  private mutating func dropScanned() { buffer.removeFirst(cursor.drop()) }
}

/// A value cut out of a longer text.
package struct JSONElement: Sendable {
  /// Counted from 1.
  package var number: Int
  /// Bytes of the text before it.
  package var offset: Int
  /// The place of the first byte, both counted from 1; the column in characters.
  package var line: Int
  package var column: Int
  /// The length in bytes.
  package var count: Int
  /// The beginning of an element that is larger than the scanner may hold, which has no other bytes; nil for all others.
  package var beginning: [UInt8]?
  /// The element's place in the scanner's buffer.
  var range: Range<Int>

  /// The most bytes of `beginning`.
  package static let mostOfBeginning = 64 << 10

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
