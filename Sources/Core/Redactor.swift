import Synchronization

/// A set of secrets that are replaced in text: each as a whole, in every spelling that servers use. A part of a secret
/// is not replaced. Otherwise a secret could be guessed a few bytes at a time.
package final class Redactor: Sendable {
  /// Shorter secrets would hide ordinary words. Only the `Secret` type keeps them out of text.
  private static let shortestReplaced = 6
  /// The number of bytes by which secrets are sorted. It is large because tokens begin alike.
  private static let beginning = 12

  /// The spellings of the secrets, by their beginnings.
  let known = Mutex([ArraySlice<UInt8>: Set<[UInt8]>]())

  package init(_ secrets: [String] = []) {
    for secret in secrets { register(secret) }
  }

  /// Adds `secret` and its spellings in responses of servers.
  package func register(_ secret: String) {
    guard secret.utf8.count >= Self.shortestReplaced else { return }
    let plain = Array(secret.utf8)
    // A secret is registered again each time it is read.
    if known.withLock({ $0[plain.prefix(Self.beginning)]?.contains(plain) == true }) { return }
    let spellings = SecretSpellings(secret).all.map { Array($0.utf8) }
    known.withLock { known in
      for spelling in spellings { known[spelling.prefix(Self.beginning), default: []].insert(spelling) }
    }
  }

  /// Returns `text` with every secret of the set, longest first, replaced by `[secret]`.
  package func clean(_ text: String) -> String {
    var bytes = SecretText(text)
    let families = known.withLock { known in known.filter { bytes.contains($0.key) } }
    guard !families.isEmpty else { return text }
    for secret in families.flatMap(\.value).sorted(by: { $0.count > $1.count }) {
      bytes.replace(secret, with: Redaction.placeholder)
    }
    return bytes.text
  }
}
