import Glibc
import Synchronization

/// Replaces every known secret in text that goes to a person, a log or a file.
package enum Redaction {
  package static let placeholder = "[secret]"

  /// Shorter secrets would blot out ordinary words; they are kept out of text by the `Secret` type alone.
  private static let shortestReplaced = 6

  private static let known = Mutex(Set<[UInt8]>())

  /// Makes `secret` known, and the ways servers spell it in what they answer.
  package static func register(_ secret: String) {
    guard secret.utf8.count >= shortestReplaced else { return }
    let spellings = SecretSpellings(secret).all.map { Array($0.utf8) }
    known.withLock { $0.formUnion(spellings) }
  }

  /// The beginning of what a server said, for a message. Its secrets are replaced before it is cut: what a cut leaves of
  /// one would not be recognized.
  /// - Parameter bytes: UTF-8, of which no more than 64 KiB is looked at.
  package static func beginning(of bytes: some Collection<UInt8>) -> String {
    clean(String(decoding: bytes.prefix(64 << 10), as: UTF8.self))
  }

  /// `text` with every known secret, longest first, replaced by `[secret]`.
  package static func clean(_ text: String) -> String {
    // Bytes, not characters: a combining mark behind a secret makes its last character another one.
    let bytes = Array(text.utf8)
    let secrets = known.withLock { $0.filter { start(of: $0, in: bytes, from: 0) != nil } }
    guard !secrets.isEmpty else { return text }
    let cleaned = secrets.sorted { $0.count > $1.count }.reduce(bytes) { without($1, $0) }
    return String(decoding: cleaned, as: UTF8.self)
  }

  private static func without(_ secret: [UInt8], _ text: [UInt8]) -> [UInt8] {
    var (result, position) = ([UInt8](), 0)
    while let found = start(of: secret, in: text, from: position) {
      result += text[position..<found]
      result += placeholder.utf8
      position = found + secret.count
    }
    return position == 0 ? text : result + text[position...]
  }

  /// Where `secret`, which is not empty, next begins.
  private static func start(of secret: [UInt8], in text: [UInt8], from: Int) -> Int? {
    text.withUnsafeBytes { text in
      secret.withUnsafeBytes { secret in
        guard let whole = text.baseAddress, let pattern = secret.baseAddress else { return nil }
        var position = from
        while text.count - position >= secret.count {
          let candidates = text.count - position - secret.count + 1
          guard let next = memchr(whole + position, Int32(secret[0]), candidates) else { return nil }
          position = UnsafeRawPointer(next) - whole
          if memcmp(whole + position, pattern, secret.count) == 0 { return position }
          position += 1
        }
        return nil
      }
    }
  }
}
