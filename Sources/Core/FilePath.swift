/// The path of a file, or a name in a folder: bytes, as the system has it. Two spellings of one letter are two files, though
/// Swift compares their texts as equal.
package struct FilePath: Hashable, Comparable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }
  package init(_ text: String) { bytes = text.pathBytes }

  /// A text for messages and JSON, which `init` reads as the same path.
  package var text: String { String(pathBytes: bytes) }

  package static func < (left: FilePath, right: FilePath) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

// Paths, arguments and variables of the system are bytes, mostly in UTF-8. The program keeps them as texts. In such a text, a
// byte that is not UTF-8 is the scalar U+10FF00 + byte, which is for private use. A name that really has one of these scalars
// is kept byte by byte as well, so each text stands for one path.
extension String {
  /// The text of a path: see `pathBytes`.
  package init(pathBytes bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    if let text = String(validating: bytes, as: UTF8.self), !text.hasForeignBytes {
      self = text
      return
    }
    self = ""
    var rest = bytes[...]
    while let first = rest.first {
      let length = Self.lengthOfScalar(first)
      let scalar = String(validating: rest.prefix(length), as: UTF8.self)
      if let scalar, !scalar.hasForeignBytes {
        self += scalar
        rest = rest.dropFirst(length)
      } else {
        unicodeScalars.append(Unicode.Scalar(0x10FF00 + UInt32(first)) ?? "\u{FFFD}")
        rest = rest.dropFirst()
      }
    }
  }

  /// The same for a C string.
  package init(path: UnsafePointer<CChar>) {
    var end = 0
    while path[end] != 0 { end += 1 }
    self.init(pathBytes: UnsafeRawBufferPointer(start: path, count: end))
  }

  /// The bytes of a path, which the system gets.
  package var pathBytes: [UInt8] {
    guard hasForeignBytes else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in
      Self.isForeignByte(scalar) ? [UInt8(scalar.value & 0xFF)] : Array(String(scalar).utf8)
    }
  }

  /// True if the text has bytes that are not UTF-8.
  package var hasForeignBytes: Bool {
    // All these scalars begin with the same two bytes.
    utf8.contains(0xF4) && unicodeScalars.contains(where: Self.isForeignByte)
  }

  /// The place of the first byte that is not UTF-8: `byte 0xE9 at offset 3`, counting from 0.
  package static func foreignByte(in bytes: [UInt8]) -> String {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return "nothing"
    } catch {
      let offset = error.byteOffsets.lowerBound
      return "byte 0x\(String(bytes[offset], radix: 16, uppercase: true)) at offset \(offset)"
    }
  }

  /// Calls `body` with the path as a C string.
  package func withPath<Result, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard hasForeignBytes else { return try body(self) }
    return try body(pathBytes.map { CChar(bitPattern: $0) } + [0])
  }

  private static func isForeignByte(_ scalar: Unicode.Scalar) -> Bool { (0x10FF80...0x10FFFF).contains(scalar.value) }

  private static func lengthOfScalar(_ first: UInt8) -> Int {
    switch first {
    case 0xF0...: 4
    case 0xE0...: 3
    case 0xC0...: 2
    default: 1
    }
  }
}
