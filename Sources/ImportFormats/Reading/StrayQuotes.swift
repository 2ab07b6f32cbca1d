import Glibc

/// Finds the rows whose fields hold a quote that may come from a broken row. A quote in the middle of a field without quotes around it
/// is taken as it is if it marks inches (`5" pipe`), stands in a word of letters beyond ASCII (`צה"ל`), or has its counterpart in the same
/// field. Any other may be what is left of `"fresh, cold"`.
struct StrayQuotes {
  enum Fault: Sendable {
    /// The number of the field with the quote, counting from 1.
    case quote(field: Int)
    /// A quote that marks inches if the field has words: a number has none.
    case mark(field: Int)
    /// A null byte in a field without quotes around it.
    case null(field: Int)
  }

  private let text: UnsafeRawBufferPointer
  private let dialect: CSVDialect

  init(_ text: UnsafeRawBufferPointer, _ dialect: CSVDialect) { (self.text, self.dialect) = (text, dialect) }

  /// - Parameters:
  ///   - fields: the places of the fields in the text.
  ///   - expected: the number of quotes without stray ones. If the text has no more, no field is looked at.
  func faults(
    _ rows: ContiguousArray<CSVExtent>, _ fields: ContiguousArray<CSVField>, expected: Int
  ) -> [Int: Fault] {
    let hasStrays = Self.count(dialect.quote, in: text) != expected
    let hasNulls = memchr(text, 0) != nil
    guard hasStrays || hasNulls else { return [:] }
    var faults: [Int: Fault] = [:]
    for row in rows {
      let own = fields[row.first..<row.first + row.count]
      if hasStrays, let field = own.firstIndex(where: { strays($0) == .unexplained }) {
        faults[row.first] = .quote(field: field - row.first + 1)
      } else if hasStrays, let field = own.firstIndex(where: { strays($0) == .explained }) {
        faults[row.first] = .mark(field: field - row.first + 1)
      } else if hasNulls, let field = own.firstIndex(where: { isPlain($0) && memchr(bytes(of: $0), 0) != nil }) {
        faults[row.first] = .null(field: field - row.first + 1)
      }
    }
    return faults
  }

  private func bytes(of field: CSVField) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[Int(field.start)..<Int(field.end)])
  }

  /// True for a field without quotes around it.
  private func isPlain(_ field: CSVField) -> Bool {
    field.start == 0 || text[Int(field.start) - 1] != dialect.quote
  }

  private enum Strays { case none, explained, unexplained }

  /// The quotes of a field without quotes around it: an odd number needs one that explains itself.
  private func strays(_ field: CSVField) -> Strays {
    let bytes = bytes(of: field)
    guard memchr(bytes, dialect.quote) != nil, isPlain(field) else { return .none }
    let places = bytes.indices.filter { bytes[$0] == dialect.quote }
    guard places.count % 2 == 1 else { return .none }
    return places.contains { isInchMark($0, bytes) || isInWord($0, bytes) } ? .explained : .unexplained
  }

  /// True for a quote behind a digit that no letter or digit follows.
  private func isInchMark(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard index > 0, Self.isDigit(bytes[index - 1]) else { return false }
    return index + 1 == bytes.count || !(Self.isDigit(bytes[index + 1]) || Self.isLetter(bytes[index + 1]))
  }

  /// True for a quote between two letters beyond ASCII, and for an apostrophe between any two letters.
  private func isInWord(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard index > 0, index + 1 < bytes.count else { return false }
    let neighbors = [bytes[index - 1], bytes[index + 1]]
    return neighbors.allSatisfy { $0 >= 0x80 || dialect.quote == UInt8(ascii: "'") && Self.isLetter($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80 }

  /// The number of bytes of that value, 16 at a time: each batch of rows is counted.
  static func count(_ byte: UInt8, in text: UnsafeRawBufferPointer) -> Int {
    let wanted = SIMD16<UInt8>(repeating: byte)
    var count = 0
    var index = 0
    while index + 16 <= text.count {
      // A lane holds up to 255.
      var lanes = SIMD16<UInt8>()
      let end = min(text.count - 15, index + 255 * 16)
      while index < end {
        let found = text.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self) .== wanted
        lanes.replace(with: lanes &+ 1, where: found)
        index += 16
      }
      for lane in 0..<16 { count += Int(lanes[lane]) }
    }
    while index < text.count {
      if text[index] == byte { count += 1 }
      index += 1
    }
    return count
  }
}

/// The place of the first byte of that value.
private func memchr(_ bytes: UnsafeRawBufferPointer, _ byte: UInt8) -> UnsafeMutableRawPointer? {
  guard let start = bytes.baseAddress else { return nil }
  return Glibc.memchr(start, Int32(byte), bytes.count)
}
