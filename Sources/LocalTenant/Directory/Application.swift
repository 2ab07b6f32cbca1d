/// An application that is registered in the directory.
struct Application: Sendable {
  let id: String
  let name: String
  /// Nil for a public client (RFC 6749 §2.1).
  let secret: String?

  /// Whether an answer may be sent there: a loopback host with any port and path (RFC 8252 §7.3), the addresses of native
  /// apps without a server of their own, and the schemes named after the client.
  func allows(redirectURI: String) -> Bool {
    if Self.outOfBand.contains(redirectURI) { return true }
    guard !redirectURI.contains("#"), redirectURI.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return false }
    if redirectPrefixes.contains(where: redirectURI.hasPrefix) { return true }
    return LoopbackURI(redirectURI) != nil
  }

  /// What the addresses of native apps begin with.
  var redirectPrefixes: [String] { ["msal\(id)://auth", "com.onmicrosoft.contoso.tasks://"] }

  static let outOfBand = ["urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto"]
}

/// An http or https URL whose host is this machine.
struct LoopbackURI {
  let scheme: Substring
  /// As written: `127.0.0.1`, `localhost` or `[::1]`, and the port behind a colon if there is one.
  let authority: Substring

  /// Nil for other hosts, user names in front of the host, and what is no such URL.
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    scheme = text[..<colon]
    guard ["http", "https"].contains(scheme.lowercased()) else { return nil }
    let rest = text[colon...].dropFirst(3)
    authority = rest.prefix { !"/?\\".contains($0) }
    var host = authority
    // A colon inside of brackets belongs to the address.
    if let last = authority.lastIndex(of: ":"), authority[last...].allSatisfy({ $0 != "]" }) {
      let port = authority[authority.index(after: last)...]
      guard UInt16(port) != nil, port.allSatisfy(\.isNumber) else { return nil }
      host = authority[..<last]
    }
    guard ["127.0.0.1", "localhost", "[::1]"].contains(host.lowercased()) else { return nil }
  }
}
