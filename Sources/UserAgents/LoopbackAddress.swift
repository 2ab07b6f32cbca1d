import HTTPClient

/// A redirect URI on this machine (RFC 8252, section 7.3), taken apart for whoever listens there.
struct LoopbackAddress {
  /// `http://localhost`, `http://[::1]`: what stands before the port.
  private let start: String
  /// The path and the query behind it, as they are registered.
  private let rest: String
  /// Nil when any free one will do.
  let port: UInt16?

  init(_ redirectURI: String) throws(UserAgentError) {
    let shown = Address.shown(redirectURI)
    guard let origin = Origin(redirectURI), origin.isLoopback, !redirectURI.contains("#"), Address(redirectURI) != nil
    else {
      throw UserAgentError(
        .invalidRedirectURI, "no browser can come back to this program at the redirect URI \(shown)",
        hint: "use one like http://localhost:8400/, registered for the application, or the agent \"terminal\"")
    }
    guard origin.scheme == "http" else {
      throw UserAgentError(
        .invalidRedirectURI,
        "the redirect URI \(shown) is https, for which browsers would want a certificate of this machine",
        hint: "use http, as RFC 8252 has it for the loopback interface, or the agent \"terminal\"")
    }
    let authority = redirectURI.dropFirst("http://".count).prefix { !"/?".contains($0) }
    rest = String(redirectURI.dropFirst("http://".count + authority.count))
    let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    start = "http://\(host)"
    let digits = authority.dropFirst(host.count + 1)
    port = digits.isEmpty || origin.port == 0 ? nil : origin.port
  }

  /// The redirect URI with the port in it.
  func uri(port: UInt16) -> String {
    let hasPort = self.port != nil
    return "\(start):\(hasPort ? String(self.port ?? port) : String(port))\(rest.isEmpty ? "/" : rest)"
  }
}
