import JOSE
import JSON

/// Proof Key for Code Exchange (RFC 7636).
struct CodeChallenge {
  static let methods: Set = ["S256", "plain"]

  let value: String
  let method: String

  func matches(_ verifier: String) -> Bool {
    value == (method == "S256" ? Base64URL.encode(SHA256.hash(verifier.utf8)) : verifier)
  }

  /// Checks the syntax, which is the same for verifiers and challenges (§4.1, §4.2).
  static func isWellFormed(_ text: String) -> Bool {
    (43...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "-._~".utf8.contains(byte)
        }
      }
  }
}
