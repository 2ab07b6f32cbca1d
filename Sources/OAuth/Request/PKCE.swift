import Core
import Crypto

/// Proof that whoever redeems a code is who asked for it (RFC 7636).
package struct PKCE: Sendable {
  package enum Method: String, Sendable {
    case s256 = "S256"
    /// The challenge is the verifier itself: for providers that know no other method.
    case plain
  }

  /// Kept until the code is redeemed: 43 characters, 256 random bits.
  package let verifier: String
  /// Goes into the authorization URL.
  package let challenge: String
  package let method: Method

  /// A new verifier, which nobody can guess.
  package static func generate(_ method: Method = .s256) -> PKCE {
    let pkce = PKCE(verifier: SecureRandom.token(32), method: method)
    // Not a plain one: its challenge, the same text, is in the URL that people are shown.
    if method == .s256 { Redaction.share(pkce.verifier) }
    return pkce
  }

  package init(verifier: String, method: Method = .s256) {
    self.verifier = verifier
    self.method = method
    challenge = method == .plain ? verifier : Base64URL.encode(SHA256.hash(verifier.utf8))
  }
}
