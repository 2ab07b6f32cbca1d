import Core
package import HTTPClient

/// The address of a protected resource, in its canonical form: scheme and host in lower case, no fragment, no port of the
/// scheme, no slash alone.
package struct ResourceAddress: Sendable {
  package let url: String
  package let origin: Origin
  /// The path and the query; empty for a server at the root.
  private let rest: String

  /// - Throws: `invalid_resource`
  package init(_ text: String) throws(DiscoveryError) {
    guard let origin = Origin(text), origin.scheme == "https" || origin.isLoopback else {
      throw DiscoveryError(
        .invalidResource, "\"\(WebAddress(text).shown)\" is not the https address of a server",
        hint: "write it in full, like https://example.com/mcp; http is for servers on this machine alone")
    }
    let address = WebAddress(text)
    guard address.withoutCredentials == address else {
      throw DiscoveryError(
        .invalidResource, "the address \"\(address.shown)\" has a user name",
        hint: "leave it out; the sign-in tells who the user is")
    }
    self.origin = origin
    rest = (address.path == "/" ? "" : String(address.path)) + (address.query.map { "?\($0)" } ?? "")
    url = Self.place(of: origin) + rest
  }

  /// The address without the port that the scheme has anyway.
  private static func place(of origin: Origin) -> String {
    let isUsual = origin.port == (origin.scheme == "https" ? 443 : 80)
    return "\(origin.scheme)://\(isUsual ? origin.host : origin.authority)"
  }

  /// The well-known addresses of its metadata (RFC 9728, 3.1), in the order in which they are asked.
  var metadataPlaces: [String] {
    let root = "\(Self.place(of: origin))/.well-known/oauth-protected-resource"
    return rest.isEmpty ? [root] : [root + rest, root]
  }

  /// True if `name` is the name of this resource, or of a path above it on the same server.
  package func isNamed(by name: String) -> Bool {
    guard let named = try? ResourceAddress(name), named.origin == origin, WebAddress(name).fragment == nil else {
      return false
    }
    let above = named.rest.hasSuffix("/") ? String(named.rest.dropLast()) : named.rest
    return rest == named.rest || rest == above || rest.hasPrefix(above + "/")
  }
}
