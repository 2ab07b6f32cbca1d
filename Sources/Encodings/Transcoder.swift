/// Converts a text to UTF-8, piece by piece. A byte that has no character becomes U+FFFD, and is noted by its line.
package struct Transcoder {
  /// A byte without a character, or a half of a pair of surrogates.
  package struct Fault: Sendable, Equatable {
    /// Counting from 1. CR, LF and CRLF end a line.
    package let line: Int
    /// `byte 0x81 does not exist in Windows-1252`
    package let reason: String
  }

  private let encoding: TextEncoding
  private let page: CodePage?
  /// The bytes of a character whose rest is not there yet.
  private var rest: [UInt8] = []
  private var line = 1
  private var endsWithReturn = false
  /// The faults since the last call, at most one for each line.
  package private(set) var faults: [Fault] = []

  /// - Parameter encoding: of the text, without its byte order mark. UTF-8 is not converted.
  package init(_ encoding: TextEncoding) {
    self.encoding = encoding
    page = CodePage.of(encoding)
  }

  /// Converts the next bytes and appends their characters to `output`.
  /// - Parameter isLast: true at the end of the text.
  package mutating func convert(_ bytes: UnsafeRawBufferPointer, isLast: Bool, to output: inout [UInt8]) {
    faults = []
    if let page {
      for byte in bytes { append(page, byte, to: &output) }
    } else {
      convertUnits(bytes, isLast: isLast, to: &output)
    }
  }

  private mutating func append(_ page: CodePage, _ byte: UInt8, to output: inout [UInt8]) {
    if byte < 0x80 {
      count(UInt32(byte))
      output.append(byte)
      return
    }
    endsWithReturn = false
    let character = page.characters[Int(byte)]
    guard character.isEmpty else {
      output += character
      return
    }
    refuse("byte 0x\(Self.digits(UInt32(byte), 2)) does not exist in \(encoding.rawValue)", to: &output)
  }

  private mutating func convertUnits(_ bytes: UnsafeRawBufferPointer, isLast: Bool, to output: inout [UInt8]) {
    let all = rest + bytes
    let width = encoding == .utf32LittleEndian || encoding == .utf32BigEndian ? 4 : 2
    var index = 0
    while index + width <= all.count {
      var value = unit(all, index, width)
      var taken = width
      if width == 2, (0xD800..<0xDC00).contains(value) {
        guard index + 4 <= all.count || isLast else { break }
        let low = index + 4 <= all.count ? unit(all, index + 2, 2) : 0
        if (0xDC00..<0xE000).contains(low) {
          value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
          taken = 4
        }
      }
      index += taken
      if let scalar = Unicode.Scalar(value) {
        count(value)
        output.append(contentsOf: Unicode.UTF8.encode(scalar).unsafelyUnwrapped)
      } else {
        refuse("the unit 0x\(Self.digits(value, 2 * width)) does not exist in \(encoding.rawValue)", to: &output)
      }
    }
    rest = Array(all[index...])
    if isLast, !rest.isEmpty {
      rest = []
      refuse("the text ends within a character of \(encoding.rawValue)", to: &output)
    }
  }

  private func unit(_ bytes: [UInt8], _ start: Int, _ width: Int) -> UInt32 {
    let isLittle = encoding == .utf16LittleEndian || encoding == .utf32LittleEndian
    return (0..<width).reduce(0) { value, index in
      value << 8 | UInt32(bytes[start + (isLittle ? width - 1 - index : index)])
    }
  }

  private mutating func count(_ value: UInt32) {
    let isReturn = value == 13
    if isReturn || value == 10 && !endsWithReturn { line += 1 }
    endsWithReturn = isReturn
  }

  private mutating func refuse(_ reason: String, to output: inout [UInt8]) {
    endsWithReturn = false
    output += [0xEF, 0xBF, 0xBD]
    if faults.last?.line != line { faults.append(Fault(line: line, reason: reason)) }
  }

  private static func digits(_ value: UInt32, _ count: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
