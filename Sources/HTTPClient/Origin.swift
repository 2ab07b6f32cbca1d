/// Scheme, host and port of an address, to which a credential belongs (RFC 6454).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// In lower case.
  package let scheme: String
  /// The host in lower case and in ASCII (RFC 5890: `xn--…`), as it is connected to; an IPv6 address stands in brackets.
  package let host: String
  /// The host as it was written, if it has letters beyond ASCII.
  package let written: String?
  /// The given port, else that of the scheme.
  package let port: UInt16

  /// The origin of an absolute http or https address; nil for anything else.
  package init?(_ url: String) {
    guard Self.hasWebScheme(url), !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }), let parts = CurlURL(url),
      let scheme = parts.scheme, let host = parts.host, let port = parts.port
    else { return nil }
    self.scheme = scheme.lowercased()
    self.host = host.lowercased()
    written = parts.writtenHost
    self.port = port
  }

  /// Ignores how the host was written.
  package static func == (one: Origin, other: Origin) -> Bool {
    one.scheme == other.scheme && one.host == other.host && one.port == other.port
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(scheme)
    hasher.combine(host)
    hasher.combine(port)
  }

  /// True if the host is this machine, by name or by address.
  package var isLoopback: Bool {
    // libcurl connects to names under `localhost` on this machine, whatever a name server says (RFC 6761, 6.3).
    if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } && UInt8($0) != nil }
  }

  /// `localhost:8080`
  package var authority: String { "\(host):\(port)" }

  /// `http://localhost:8080`
  package var description: String { "\(scheme)://\(authority)" }

  /// libcurl also reads `http:host`, `http:/host` and `http:///host`, which mean something else to everyone else.
  private static func hasWebScheme(_ url: String) -> Bool {
    guard let colon = url.firstIndex(of: ":"), ["http", "https"].contains(url[..<colon].lowercased()) else {
      return false
    }
    let rest = url[colon...]
    return rest.hasPrefix("://") && !rest.hasPrefix(":///")
  }
}
