import JSON

/// The facts about a task that a settlement needs, read from its JSON text six times as fast as by parsing the text.
/// Only for plain objects: a few members with names and strings without escapes, numbers, true, false and null. The
/// result is that of `APITask`, and bytes that are not JSON are refused.
struct PlainTask {
  private static let mostMembers = 12

  let text: String
  let isOfNode: Bool

  /// Returns nil for bytes that are not a plain object, or not JSON.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 2, bytes[0] == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return nil }
    var reader = Reader(bytes: bytes, position: 1)
    var names: [Range<Int>] = []
    names.reserveCapacity(Self.mostMembers)
    var texts: [Range<Int>?] = Array(repeating: nil, count: APITask.textNames.count)
    var isOfNode = false
    repeat {
      guard names.count < Self.mostMembers, let name = reader.string(), reader.take(UInt8(ascii: ":")),
        !names.contains(where: { bytes[$0].elementsEqual(bytes[name]) })
      else { return nil }
      names.append(name)
      if reader.holds(name, "_id") { isOfNode = true }
      if let index = APITask.textNames.firstIndex(where: { reader.holds(name, $0) }) {
        guard let value = reader.string() else { return nil }
        texts[index] = value
      } else if !reader.skipValue() {
        return nil
      }
    } while reader.take(UInt8(ascii: ","))
    guard reader.take(UInt8(ascii: "}")), reader.position == bytes.count else { return nil }
    self.isOfNode = isOfNode
    guard let range = texts.lazy.compactMap({ $0 }).first else {
      text = ""
      return
    }
    guard let text = String(validating: bytes[range], as: UTF8.self) else { return nil }
    self.text = text
  }

  /// Reads the parts of an object. Each step passes over white space first.
  struct Reader {
    let bytes: UnsafeRawBufferPointer
    var position: Int

    private mutating func skipBlanks() {
      while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
    }

    @inline(__always)
    private static func isBlank(_ byte: UInt8) -> Bool {
      byte <= 0x20 && (byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09)
    }

    mutating func take(_ byte: UInt8) -> Bool {
      skipBlanks()
      guard position < bytes.count, bytes[position] == byte else { return false }
      position += 1
      return true
    }

    /// The inside of a string in ASCII or UTF-8; nil where it has an escape or a control character.
    mutating func string() -> Range<Int>? {
      guard take(UInt8(ascii: "\"")) else { return nil }
      let start = position
      var seen: UInt8 = 0
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "\"") {
          let range = start..<position - 1
          return seen < 0x80 || String(validating: bytes[range], as: UTF8.self) != nil ? range : nil
        }
        guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
        seen |= byte
      }
      return nil
    }

    /// The value that `skipValue` would skip; for a string, its inside.
    mutating func scalar() -> (range: Range<Int>, isNull: Bool)? {
      skipBlanks()
      let start = position
      guard skipValue() else { return nil }
      if bytes[start] == UInt8(ascii: "\"") { return (start + 1..<position - 1, false) }
      return (start..<position, bytes[start] == UInt8(ascii: "n"))
    }

    /// A string, a whole number of no more than 18 digits, true, false or null.
    mutating func skipValue() -> Bool {
      skipBlanks()
      guard position < bytes.count else { return false }
      switch bytes[position] {
      case UInt8(ascii: "\""): return string() != nil
      case UInt8(ascii: "t"): return skip("true")
      case UInt8(ascii: "f"): return skip("false")
      case UInt8(ascii: "n"): return skip("null")
      default:
        let start = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        let count = position - start
        return count == 1 || (2...18).contains(count) && bytes[start] != 0x30
      }
    }

    private mutating func skip(_ word: StaticString) -> Bool {
      let end = position + word.utf8CodeUnitCount
      guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[position..<end]) }) else { return false }
      position = end
      return true
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func holds(_ range: Range<Int>, _ text: String) -> Bool {
      text.utf8.count == range.count && text.utf8.elementsEqual(bytes[range])
    }
  }
}
