import Glibc

/// Looks at a document before libxml2 does, which takes quadratic time for two things: the attributes of an element, and a
/// comment with double hyphens, which XML forbids. The document can come in pieces.
package struct MarkupBounds {
  package enum Excess: Error, Equatable { case attributes, hyphens }

  package static let mostAttributes = 1024
  private static let mostHyphens = 16

  private enum Place: Equatable {
    case text
    /// Behind `<`, `<!` or `<!-`, until the kind of markup is known.
    case opening(Int)
    case tag
    case quoted(UInt8)
    /// Inside of something that ends with these bytes.
    case comment, section, instruction
  }

  private var place = Place.text
  private var count = 0
  /// The two bytes before the present one.
  private var last: (UInt8, UInt8) = (0, 0)

  package init() {}

  /// The first excess in a whole document; nil without one.
  package static func excess(in bytes: [UInt8]) -> Excess? {
    var bounds = MarkupBounds()
    return bytes.withUnsafeBytes { bytes in
      do throws(Excess) { try bounds.take(bytes) } catch { return error }
      return nil
    }
  }

  /// Takes the next bytes of the document. Throws if they are too much for libxml2.
  package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Excess) {
    var index = 0
    while index < bytes.count {
      if place == .text {
        guard let start = bytes.baseAddress,
          let found = memchr(start + index, Int32(UInt8(ascii: "<")), bytes.count - index)
        else { return }
        index = UnsafeRawPointer(found) - start + 1
        place = .opening(0)
        continue
      }
      try take(bytes[index])
      index += 1
    }
  }

  private mutating func take(_ byte: UInt8) throws(Excess) {
    switch place {
    case .text: break
    case .opening(let length): identify(byte, length)
    case .tag:
      switch byte {
      case UInt8(ascii: ">"): place = .text
      case UInt8(ascii: "\""), UInt8(ascii: "'"): place = .quoted(byte)
      case UInt8(ascii: "="):
        count += 1
        if count > Self.mostAttributes { throw .attributes }
      default: break
      }
    case .quoted(let quote): if byte == quote { place = .tag }
    case .comment:
      let hyphen = UInt8(ascii: "-")
      if last == (hyphen, hyphen), byte == UInt8(ascii: ">") {
        place = .text
      } else if last.1 == hyphen, byte == hyphen {
        count += 1
        if count > Self.mostHyphens { throw .hyphens }
      }
    case .section:
      let bracket = UInt8(ascii: "]")
      if last == (bracket, bracket), byte == UInt8(ascii: ">") { place = .text }
    case .instruction: if last.1 == UInt8(ascii: "?"), byte == UInt8(ascii: ">") { place = .text }
    }
    last = (last.1, byte)
  }

  /// Finds the kind of markup from the bytes behind `<`, of which there were `length` before.
  private mutating func identify(_ byte: UInt8, _ length: Int) {
    switch (length, byte) {
    case (0, UInt8(ascii: "!")): place = .opening(1)
    case (1, UInt8(ascii: "-")): place = .opening(2)
    case (0, UInt8(ascii: "?")): begin(.instruction)
    case (1, UInt8(ascii: "[")): begin(.section)
    case (2, UInt8(ascii: "-")): begin(.comment)
    case (_, UInt8(ascii: ">")): place = .text
    default: begin(.tag)
    }
  }

  private mutating func begin(_ kind: Place) {
    place = kind
    count = 0
    last = (0, 0)
  }
}
