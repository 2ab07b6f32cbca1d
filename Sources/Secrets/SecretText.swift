import Glibc

/// Text in which secrets are looked for: by bytes, since a combining mark behind a secret makes its last character
/// another one.
struct SecretText {
  /// So many bytes of a secret are as good as the secret. Fewer are as likely to be an ordinary word.
  static let shortestBeginning = 12

  private var bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func contains(_ part: ArraySlice<UInt8>) -> Bool { start(of: part, from: 0) != nil }

  mutating func replace(_ secret: [UInt8], with placeholder: String) {
    replace(secret[...], with: placeholder) { $0.prefix(secret.count).count }
  }

  /// Replaces what has this beginning of all of `secrets`, as far as one of them goes on.
  mutating func replace(_ beginning: ArraySlice<UInt8>, of secrets: Set<[UInt8]>, with placeholder: String) {
    replace(beginning, with: placeholder) { rest in
      secrets.reduce(beginning.count) { longest, secret in max(longest, zip(secret, rest).prefix { $0 == $1 }.count) }
    }
  }

  /// - Parameter length: how much of the text that begins with `part` is replaced.
  private mutating func replace(
    _ part: ArraySlice<UInt8>, with placeholder: String, length: (ArraySlice<UInt8>) -> Int
  ) {
    var (result, position) = ([UInt8](), 0)
    while let found = start(of: part, from: position) {
      result += bytes[position..<found]
      result += placeholder.utf8
      position = found + length(bytes[found...])
    }
    if position > 0 { bytes = result + bytes[position...] }
  }

  /// Where `part`, which is not empty, next begins.
  private func start(of part: ArraySlice<UInt8>, from: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
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
