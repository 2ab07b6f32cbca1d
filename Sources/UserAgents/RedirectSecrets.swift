import HTTPClient
import Secrets

/// A code is as good as a password until it is redeemed, and tokens longer: they are kept out of logs and errors.
enum RedirectSecrets {
  /// Makes the secrets among a redirect's parameters known to `Redaction`.
  static func register(_ redirect: String) {
    guard let mark = redirect.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return }
    let parameters = URLEncodedForm.decode(redirect[mark...].drop { $0 == "?" || $0 == "#" })
    for (name, value) in parameters where name == "code" || name.hasSuffix("_token") { Redaction.register(value) }
  }
}
