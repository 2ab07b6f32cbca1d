/// The state of a scan for elements. The bytes belong to the scanner; indices are indices of its buffer.
struct JSONElementCursor: Sendable {
  private enum State {
    /// Before the array's `[`.
    case opening
    /// Behind `[`: an element or `]`.
    case first
    /// An element must follow.
    case element
    /// Inside an element that begins with a bracket, in a string or not.
    case nested, nestedString
    /// Inside an element that is a string, or a number or word.
    case string, word
    /// Behind an element: a comma or `]`.
    case separator
    /// Behind the array.
    case closed
  }

  private let layout: JSONElementScanner.Layout
  private let maximumElementSize: Int
  private let passesOverLarge: Bool
  /// The element under way, if it is too large and is passed over.
  private var large: Large?
  private var state: State
  private var position = 0
  private var start = 0
  private var depth = 0
  private var number = 0
  private var place = TextPlace()

  private struct Large {
    let place: TextPlace
    let beginning: [UInt8]
  }

  init(_ layout: JSONElementScanner.Layout, maximumElementSize: Int, passesOverLarge: Bool) {
    self.layout = layout
    self.maximumElementSize = maximumElementSize
    self.passesOverLarge = passesOverLarge
    state = layout == .array ? .opening : .element
  }

  /// Returns the number of bytes at the beginning of the buffer that are no longer needed, and moves all indices by it.
  mutating func drop() -> Int {
    let count = place.index
    place.index = 0
    position -= count
    start -= count
    return count
  }

  mutating func next(in bytes: UnsafeRawBufferPointer, isLast: Bool) throws(JSONError) -> JSONElement? {
    while true {
      switch state {
      case .nested, .nestedString, .string, .word:
        let isComplete = scanElement(bytes) || (isLast && state == .word && layout == .values)
        if large == nil, position - start > maximumElementSize { try passOver(bytes) }
        if large != nil {
          // The bytes before are no longer needed.
          place.advance(to: position, in: bytes)
          start = position
        }
        guard !isComplete else { return take() }
        guard !isLast else { throw cutOff("inside element \(number)", bytes) }
        return nil
      case .opening, .first, .element, .separator, .closed:
        guard let byte = skipBlanks(bytes) else {
          place.advance(to: position, in: bytes)
          if isLast { try checkEnd(bytes) }
          return nil
        }
        if byte == 0xEF, position == 0, place.offset == 0 {
          if bytes.count < 3, !isLast { return nil }
          if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            place.skipByteOrderMark()
            continue
          }
        }
        try step(byte, bytes)
      }
    }
  }

  private mutating func take() -> JSONElement {
    state = layout == .array ? .separator : .element
    defer { large = nil }
    let first = large?.place ?? place
    let count = large == nil ? position - start : place.offset - first.offset
    return JSONElement(
      number: number, offset: first.offset, line: first.line, column: first.column, count: count,
      beginning: large?.beginning, range: start..<position)
  }

  /// Keeps the beginning of an element that is too large.
  private mutating func passOver(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    guard passesOverLarge else {
      throw failure("element \(number) is larger than \(maximumElementSize) bytes", at: start, bytes)
    }
    large = Large(
      place: place, beginning: Array(bytes[start..<min(position, start + JSONElement.mostOfBeginning)]))
  }

  private mutating func step(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    switch (state, byte) {
    case (.opening, UInt8(ascii: "[")): state = .first
    case (.opening, _): throw unexpected(byte, "an array, which begins with '['", bytes)
    case (.first, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")): state = .closed
    case (.separator, UInt8(ascii: ",")): state = .element
    case (.separator, _): throw unexpected(byte, "',' or ']' after element \(number)", bytes)
    case (.closed, _): throw unexpected(byte, "nothing after the array's ']'", bytes)
    case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "]")), (_, UInt8(ascii: "}")), (_, UInt8(ascii: ":")):
      throw unexpected(byte, layout == .array ? "an element" : "a value", bytes)
    default:
      number += 1
      start = position
      place.advance(to: start, in: bytes)
      depth = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") ? 1 : 0
      state = depth > 0 ? .nested : byte == UInt8(ascii: "\"") ? .string : .word
    }
    position += 1
  }

  /// Goes to the end of the element, or of the bytes. Returns true if the element is complete.
  private mutating func scanElement(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch state {
    case .string: return skipString(bytes)
    case .word:
      while position < bytes.count {
        let byte = bytes[position]
        if byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") { return true }
        position += 1
      }
      return false
    default:
      while true {
        if state == .nestedString {
          guard skipString(bytes) else { return false }
          state = .nested
        }
        guard skipToString(bytes) else { return depth == 0 }
        state = .nestedString
      }
    }
  }

  /// Goes behind the next quote in an element with brackets. Returns false at the end of the element, where the depth is
  /// zero, and at the end of the bytes.
  private mutating func skipToString(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = position
    var depth = self.depth
    defer { (position, self.depth) = (index, depth) }
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return true }
      // The brackets differ from the braces in one bit.
      if byte | 0x20 == UInt8(ascii: "{") {
        depth += 1
      } else if byte | 0x20 == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { return false }
      }
    }
    return false
  }

  /// Goes behind the quote that closes a string. Returns false at the end of the bytes.
  private mutating func skipString(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = position
    defer { position = index }
    while index < bytes.count {
      if index + 8 <= bytes.count {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let found = Self.zeros(word ^ Self.quotes) | Self.zeros(word ^ Self.backslashes)
        index += found.trailingZeroBitCount / 8
        if found == 0 { continue }
      }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        index += 1
        return true
      }
      if byte == UInt8(ascii: "\\") {
        guard index + 1 < bytes.count else { return false }
        index += 1
      }
      index += 1
    }
    return false
  }

  private static let quotes = UInt64(UInt8(ascii: "\"")) * 0x0101_0101_0101_0101
  private static let backslashes = UInt64(UInt8(ascii: "\\")) * 0x0101_0101_0101_0101

  /// The high bits of the bytes that are zero. Only the first of them is exact, and only that one is used.
  private static func zeros(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }

  /// The next byte that is no white space, at `position`; nil at the end.
  private mutating func skipBlanks(_ bytes: UnsafeRawBufferPointer) -> UInt8? {
    while position < bytes.count {
      let byte = bytes[position]
      if byte != 0x20, byte != 0x0A, byte != 0x0D, byte != 0x09 { return byte }
      position += 1
    }
    return nil
  }

  private mutating func checkEnd(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    switch state {
    case .closed: return
    case .opening: throw JSONError(reason: "the text is empty")
    default: if layout == .array { throw cutOff("before the array's ']'", bytes) }
    }
  }

  private mutating func cutOff(_ where: String, _ bytes: UnsafeRawBufferPointer) -> JSONError {
    failure("the text is cut off \(`where`)", at: bytes.count, bytes)
  }

  private mutating func unexpected(_ byte: UInt8, _ expected: String, _ bytes: UnsafeRawBufferPointer) -> JSONError {
    let isEnd = expected == "an element" && [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte)
    let advice = isEnd && number > 0 ? "; remove the comma in front of it" : ""
    let found = (0x21...0x7E).contains(byte) ? "'\(Unicode.Scalar(byte))'" : "byte 0x\(String(byte, radix: 16))"
    return failure("expected \(expected), found \(found)\(advice)", at: position, bytes)
  }

  private mutating func failure(_ reason: String, at index: Int, _ bytes: UnsafeRawBufferPointer) -> JSONError {
    place.advance(to: index, in: bytes)
    return JSONError(reason: reason, line: place.line, column: place.column, offset: place.offset)
  }
}
