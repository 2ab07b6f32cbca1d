import Core
import Crypto
import JSON

/// Seals what one machine writes into a shared database and another one does: whoever can write there does not have the
/// key, which only the machines have.
package struct JobSeal: Sendable {
  /// The purpose for which the key is derived from that of the accounts.
  package static let purpose = "jobs"
  private let key: [UInt8]

  /// - Parameter key: 32 bytes that nobody but the machines has.
  package init(key: [UInt8]) { self.key = key }

  /// A text that only holds for exactly these parts. Each seal is another text.
  package func seal(_ parts: [String]) -> String {
    let number = SecureRandom.bytes(16).hexadecimal
    return "\(number).\(code(number, parts))"
  }

  /// True if `seal` was made of these parts with the same key.
  package func holds(_ seal: String?, _ parts: [String]) -> Bool {
    guard let words = seal?.split(separator: ".", omittingEmptySubsequences: false).map(String.init), words.count == 2
    else { return false }
    return HMAC.areEqual(Array(words[1].utf8), Array(code(words[0], parts).utf8))
  }

  /// A text for these parts, the same each time. It tells nobody who lacks the key what they are.
  package func digest(_ parts: [String]) -> String { String(code("digest", parts).prefix(32)) }

  private func code(_ number: String, _ parts: [String]) -> String {
    let text = JSON.array(([number] + parts).map { .string($0) }).encoded()
    return HMAC.sha256(key: key, Array(text.utf8)).hexadecimal
  }
}
