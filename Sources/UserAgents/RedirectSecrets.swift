import Core
import HTTPClient

/// A code is as good as a password until it is redeemed, and tokens longer: they are kept out of logs and errors.
enum RedirectSecrets {
  /// Makes the secrets among a redirect's parameters known to `Redaction`. Scripts get the redirect.
  static func register(_ redirect: String) {
    guard let mark = redirect.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return }
    for (name, value) in parameters(redirect[mark...]) where name == "code" || name.hasSuffix("_token") {
      Redaction.share(value)
    }
  }

  /// The fields of a query and of a fragment behind it; a redirect URI may have a query of its own.
  static func parameters(_ text: Substring) -> [(String, String)] {
    text.split(separator: "#").flatMap { part in
      URLEncodedForm.decode(part.drop { $0 == "?" || $0 == "&" })
    }
  }
}
