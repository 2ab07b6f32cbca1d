/// An application that is registered in the directory.
struct Application: Sendable {
  let id: String
  let name: String
  /// Nil for a public client (RFC 6749 §2.1).
  let secret: String?

  /// Returns true if the tenant may redirect to this URI: a loopback host with any port and path (RFC 8252 §7.3), a
  /// redirect URI of native apps, or a custom scheme named after the client.
  func allows(redirectURI: String) -> Bool {
    if Self.outOfBand.contains(redirectURI) { return true }
    guard StrictURI.isWellFormed(redirectURI) else { return false }
    if redirectPrefixes.contains(where: redirectURI.hasPrefix) { return true }
    return LoopbackURI(redirectURI) != nil
  }

  /// The prefixes of the redirect URIs of native apps.
  var redirectPrefixes: [String] { ["msal\(id)://auth", "com.onmicrosoft.contoso.tasks://"] }

  static let outOfBand = ["urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto"]
}
