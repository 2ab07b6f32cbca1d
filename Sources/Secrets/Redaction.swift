import Synchronization

/// Replaces every known secret in text that goes to a person, a log or a file.
package enum Redaction {
  package static let placeholder = "[secret]"

  /// Shorter secrets would blot out ordinary words; they are kept out of text by the `Secret` type alone.
  private static let shortestReplaced = 6

  private static let known = Mutex(Set<String>())

  /// Makes `secret`, and its percent-encoded spelling, known.
  package static func register(_ secret: String) {
    guard secret.utf8.count >= shortestReplaced else { return }
    let encoded = percentEncoded(secret)
    known.withLock {
      $0.insert(secret)
      if encoded != secret { $0.insert(encoded) }
    }
  }

  /// `text` with every known secret, longest first, replaced by `[secret]`.
  package static func clean(_ text: String) -> String {
    let secrets = known.withLock { $0.filter { text.contains($0) } }
    return secrets.sorted { $0.utf8.count > $1.utf8.count }
      .reduce(text) { $0.replacing($1, with: placeholder) }
  }

  private static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.append(Character(UnicodeScalar(byte)))
      default:
        result.append("%")
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
      }
    }
  }
}
