/// A pressed key, or another event that is reported as a key.
package struct KeyPress: Sendable, Equatable {
  /// The character, or a name: `up`, `ctrl-a`, `page-down`, `f1`; `paste`; `resize` for a new size or after suspension.
  package var name: String
  /// The text of the key; nil for a key without text.
  package var text: String?

  package init(_ name: String, text: String? = nil) {
    self.name = name
    self.text = text
  }
}

/// A decoder from the bytes of a terminal to keys: UTF-8, xterm's control sequences (ECMA-48) and bracketed pastes.
struct KeyDecoder {
  /// The largest number of pasted bytes. The rest is left out.
  static let longestPaste = 1 << 20

  private var rest: [UInt8] = []
  /// The bytes of an unfinished paste; nil outside of a paste.
  private var pasted: [UInt8]?

  /// True if the bytes may be a complete key or the beginning of another one: many keys begin with the byte of Escape.
  var isWaiting: Bool { !rest.isEmpty && pasted == nil }

  mutating func take(_ bytes: [UInt8]) -> [KeyPress] {
    rest += bytes
    return decode(isEnd: false)
  }

  /// Returns the keys in the remaining bytes, after a pause without new bytes.
  mutating func takeRest() -> [KeyPress] { decode(isEnd: true) }

  private mutating func decode(isEnd: Bool) -> [KeyPress] {
    var keys: [KeyPress] = []
    var start = 0
    while start < rest.count {
      if pasted != nil {
        guard let length = takePaste(rest[start...], &keys) else { break }
        start += length
        continue
      }
      let (length, key) = Self.first(of: rest[start...], isEnd: isEnd)
      guard length > 0 else { break }
      start += length
      if key?.name == KeySequence.pasteStart { pasted = [] } else if let key { keys.append(key) }
    }
    rest.removeFirst(start)
    return keys
  }

  /// Takes the bytes that belong to the paste. Returns their number; nil if the end has not come yet.
  private mutating func takePaste(_ bytes: ArraySlice<UInt8>, _ keys: inout [KeyPress]) -> Int? {
    let mark = Array("\u{1B}[201~".utf8)
    if let end = bytes.firstRange(of: mark) {
      keep(bytes[..<end.lowerBound])
      let text = String(decoding: pasted ?? [], as: UTF8.self)
      keys.append(KeyPress("paste", text: text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")))
      pasted = nil
      return end.upperBound - bytes.startIndex
    }
    // The last bytes may be the beginning of the end mark.
    let length = bytes.count - (mark.count - 1)
    guard length > 0 else { return nil }
    keep(bytes.prefix(length))
    return length
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    let room = Self.longestPaste - (pasted?.count ?? 0)
    pasted? += bytes.prefix(room)
  }

  /// The first key in `bytes` and the number of its bytes; 0 for an incomplete key. The key is nil for unknown bytes.
  private static func first(of bytes: ArraySlice<UInt8>, isEnd: Bool) -> (length: Int, key: KeyPress?) {
    let byte = bytes[bytes.startIndex]
    if byte == 0x1b { return escape(bytes, isEnd: isEnd) }
    if byte < 0x20 || byte == 0x7f { return (1, control(byte)) }
    let length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    guard bytes.count >= length else { return isEnd ? (bytes.count, nil) : (0, nil) }
    let text = String(decoding: bytes.prefix(length), as: UTF8.self)
    guard text.unicodeScalars.count == 1, text != "\u{FFFD}" else { return (1, nil) }
    return (length, KeyPress(text, text: text))
  }

  private static func escape(_ bytes: ArraySlice<UInt8>, isEnd: Bool) -> (length: Int, key: KeyPress?) {
    guard bytes.count > 1 else { return isEnd ? (1, KeyPress("escape")) : (0, nil) }
    let second = bytes[bytes.startIndex + 1]
    switch second {
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      let final = bytes.dropFirst(2).firstIndex { (0x40...0x7e).contains($0) }
      guard let final else { return isEnd || bytes.count > 32 ? (bytes.count, nil) : (0, nil) }
      return (final + 1 - bytes.startIndex, KeySequence.key(bytes[(bytes.startIndex + 2)...final]))
    case 0x1b: return (1, KeyPress("escape"))
    default:
      let (length, key) = first(of: bytes.dropFirst(), isEnd: isEnd)
      guard length > 0 else { return (0, nil) }
      return (length + 1, key.map { KeyPress("alt-\($0.name)") })
    }
  }

  private static func control(_ byte: UInt8) -> KeyPress {
    switch byte {
    case 0x00: KeyPress("ctrl-space")
    case 0x08, 0x7f: KeyPress("backspace")
    case 0x09: KeyPress("tab")
    case 0x0a, 0x0d: KeyPress("enter")
    default: KeyPress("ctrl-" + String(UnicodeScalar(byte | 0x60)))
    }
  }
}

enum KeySequence {
  /// The beginning of a paste, which is no key.
  static let pasteStart = "paste-start"

  private static let byFinal: [UInt8: String] = [
    UInt8(ascii: "A"): "up", UInt8(ascii: "B"): "down", UInt8(ascii: "C"): "right", UInt8(ascii: "D"): "left",
    UInt8(ascii: "H"): "home", UInt8(ascii: "F"): "end", UInt8(ascii: "Z"): "shift-tab", UInt8(ascii: "M"): "enter",
    UInt8(ascii: "P"): "f1", UInt8(ascii: "Q"): "f2", UInt8(ascii: "R"): "f3", UInt8(ascii: "S"): "f4",
  ]

  private static let byNumber: [Int: String] = [
    1: "home", 2: "insert", 3: "delete", 4: "end", 5: "page-up", 6: "page-down", 7: "home", 8: "end", 11: "f1",
    12: "f2",
    13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12",
    200: pasteStart,
  ]

  /// - Parameter bytes: the parameters and the final byte.
  static func key(_ bytes: ArraySlice<UInt8>) -> KeyPress? {
    guard let final = bytes.last else { return nil }
    let parameters = bytes.dropLast().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 1 }
    let name = final == UInt8(ascii: "~") ? byNumber[parameters.first ?? 0] : byFinal[final]
    guard let name else { return nil }
    return KeyPress(modifiers(parameters.count > 1 ? parameters[1] : 1) + name)
  }

  /// xterm's second parameter is one more than the sum of the held modifiers.
  private static func modifiers(_ parameter: Int) -> String {
    let held = max(0, parameter - 1)
    return (held & 4 != 0 ? "ctrl-" : "") + (held & 2 != 0 ? "alt-" : "") + (held & 1 != 0 ? "shift-" : "")
  }
}
