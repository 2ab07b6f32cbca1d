import Synchronization

/// Replaces every known secret in text that goes to a person, a log or a file.
package enum Redaction {
  package static let placeholder = "[secret]"

  /// Shorter secrets would blot out ordinary words; they are kept out of text by the `Secret` type alone.
  private static let shortestReplaced = 6

  private static let known = Mutex(Set<String>())

  /// Makes `secret` known, and its spellings in addresses, forms and JSON.
  package static func register(_ secret: String) {
    guard secret.utf8.count >= shortestReplaced else { return }
    let address = percentEncoded(secret, digits: "0123456789ABCDEF")
    var spellings: Set = [secret, address]
    if address != secret {
      spellings.insert(address.replacing("%20", with: "+"))
      spellings.insert(percentEncoded(secret, digits: "0123456789abcdef"))
      let json = jsonEscaped(secret)
      spellings.formUnion([json, json.replacing("/", with: "\\/")])
    }
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
    let secrets = known.withLock { $0.filter { text.contains($0) } }
    return secrets.sorted { $0.utf8.count > $1.utf8.count }
      .reduce(text) { $0.replacing($1, with: placeholder) }
  }

  /// Between the quotes of a JSON string, letters beyond ASCII as they are.
  private static func jsonEscaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      .replacing("\r", with: "\\r").replacing("\t", with: "\\t")
  }

  private static func percentEncoded(_ text: String, digits: String) -> String {
    let digits = Array(digits)
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
