import Glibc

/// Text in which secrets are searched. Bytes are compared: a combining mark behind a secret would change its last character.
struct SecretText {
  private var bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func contains(_ part: ArraySlice<UInt8>) -> Bool { bytes.start(of: part, from: 0) != nil }

  mutating func replace(_ secret: [UInt8], with placeholder: String) {
    var (result, position) = ([UInt8](), 0)
    while let found = bytes.start(of: secret[...], from: position) {
      result += bytes[position..<found] + placeholder.utf8
      position = found + secret.count
    }
    if position > 0 { bytes = result + bytes[position...] }
  }

  /// Replaces words that begin like a JWS or JWE in compact form: with `{"` in base64url.
  mutating func replaceTokens(with placeholder: String) {
    let beginning = Array("eyJ".utf8)
    var (result, position, done) = ([UInt8](), 0, 0)
    while let found = bytes.start(of: beginning[...], from: position) {
      position = found + beginning.count
      guard found == 0 || !bytes[found - 1].isWordPart else { continue }
      let word = bytes[found...].prefix(while: \.isWordPart)
      guard word.count >= Self.shortestToken else { continue }
      result += bytes[done..<found] + placeholder.utf8
      position = word.endIndex
      done = position
    }
    if done > 0 { bytes = result + bytes[done...] }
  }

  /// A shorter word is probably an ordinary one.
  private static let shortestToken = 12
}

extension UInt8 {
  /// True for a letter, a digit, and what tokens and names have besides: `-`, `.` and `_`.
  package var isWordPart: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

extension [UInt8] {
  /// The index of the next occurrence of `part`, which is not empty.
  package func start(of part: ArraySlice<UInt8>, from: Int) -> Int? {
    withUnsafeBytes { bytes in
      part.withUnsafeBytes { part in
        guard let text = bytes.baseAddress, let pattern = part.baseAddress, let first = part.first else { return nil }
        var position = from
        while bytes.count - position >= part.count {
          let candidates = bytes.count - position - part.count + 1
          guard let next = memchr(text + position, Int32(first), candidates) else { return nil }
          position = UnsafeRawPointer(next) - text
          if memcmp(text + position, pattern, part.count) == 0 { return position }
          position += 1
        }
        return nil
      }
    }
  }
}
