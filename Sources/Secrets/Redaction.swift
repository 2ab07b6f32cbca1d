import Synchronization

/// Replaces every known secret in text that goes to a person, a log or a file.
package enum Redaction {
  package static let placeholder = "[secret]"

  /// Shorter secrets would blot out ordinary words; they are kept out of text by the `Secret` type alone.
  private static let shortestReplaced = 6

  /// By their beginnings, which tokens have in common.
  private static let known = Mutex([ArraySlice<UInt8>: Set<[UInt8]>]())

  /// Makes `secret` known, and the ways servers spell it in what they answer.
  package static func register(_ secret: String) {
    guard secret.utf8.count >= shortestReplaced else { return }
    let spellings = SecretSpellings(secret).all.map { Array($0.utf8) }
    known.withLock { known in
      for spelling in spellings { known[spelling.prefix(SecretText.shortestBeginning), default: []].insert(spelling) }
    }
  }

  /// The beginning of what a server said, for a message. Its secrets are replaced before it is cut.
  /// - Parameter bytes: UTF-8, of which no more than 64 KiB is looked at.
  package static func beginning(of bytes: some Collection<UInt8>) -> String {
    clean(String(decoding: bytes.prefix(64 << 10), as: UTF8.self))
  }

  /// `text` with every known secret, longest first, replaced by `[secret]`; then also what is left of one that was cut
  /// off, as interpreters and parsers do when they say where they stopped.
  package static func clean(_ text: String) -> String {
    var bytes = SecretText(text)
    let families = known.withLock { known in known.filter { bytes.contains($0.key) } }
    guard !families.isEmpty else { return text }
    for secret in families.flatMap(\.value).sorted(by: { $0.count > $1.count }) {
      bytes.replace(secret, with: placeholder)
    }
    for (beginning, secrets) in families where beginning.count == SecretText.shortestBeginning {
      bytes.replace(beginning, of: secrets, with: placeholder)
    }
    return bytes.text
  }
}
