import Core
import HTTPClient
import JSON

/// The metadata document of a client that is named by its address (OAuth Client ID Metadata Document, draft 00).
struct ClientDocument: Sendable {
  /// The reason why a client is refused.
  struct Refusal: Error { let reason: String }

  let metadata: JSON

  /// Checks the document at an address.
  /// - Throws: `Refusal`
  init(_ json: JSON, at address: String) throws(Refusal) {
    guard let members = json.object else { throw Refusal(reason: "The client metadata document is not a JSON object.") }
    guard members["client_id"]?.string == address else {
      throw Refusal(
        reason:
          "client_id in the client metadata document is another one: \(members["client_id"]?.encoded() ?? "missing").")
    }
    guard members["client_name"]?.string?.isEmpty == false else {
      throw Refusal(reason: "The client metadata document has no client_name.")
    }
    try Self.checkAuthentication(members)
    let redirects = members["redirect_uris"]?.array?.compactMap(\.string) ?? []
    guard !redirects.isEmpty else { throw Refusal(reason: "The client metadata document has no redirect_uris.") }
    // The document speaks for its own host: a redirect URI of another one may be a victim's.
    if let foreign = redirects.first(where: { !Self.isOwn($0, address) }) {
      throw Refusal(
        reason:
          "The redirect URI \(foreign) is neither on this machine nor on the host of the client metadata document.")
    }
    if let logo = members["logo_uri"]?.string, Origin(logo) != Origin(address) {
      throw Refusal(
        reason:
          "logo_uri is on another host than the client metadata document: a page with it would inform that host about each sign-in."
      )
    }
    var kept = members
    kept["token_endpoint_auth_method"] = members["token_endpoint_auth_method"] ?? "none"
    // Nothing here is fetched for the page.
    for name in ["logo_uri", "client_uri", "policy_uri", "tos_uri"] { kept[name] = nil }
    metadata = .object(kept)
  }

  /// A client without a secret, or with a key: everybody can read the document.
  private static func checkAuthentication(_ members: [String: JSON]) throws(Refusal) {
    let method = members["token_endpoint_auth_method"]?.string ?? "none"
    guard ["none", "private_key_jwt"].contains(method), members["client_secret"] == nil else {
      throw Refusal(
        reason: "A client with a metadata document authenticates by none or private_key_jwt, and has no client_secret.")
    }
    guard method == "none" || members["jwks"] != nil else {
      throw Refusal(reason: "The client metadata document has no jwks for private_key_jwt.")
    }
  }

  private static func isOwn(_ redirect: String, _ address: String) -> Bool {
    guard let origin = Origin(redirect) else { return !redirect.hasPrefix("http") && redirect.contains(":") }
    return origin.isLoopback || origin == Origin(address)
  }

  /// The problem with an address as the name of a client; nil if it may be one.
  /// - Parameter mayBePlain: true for an address of this machine that may be http.
  static func problem(withAddress address: String, _ mayBePlain: Bool) -> String? {
    guard let origin = Origin(address), origin.scheme == "https" || mayBePlain else {
      return "client_id is not an https address."
    }
    let web = WebAddress(address)
    if web.path.isEmpty || web.path == "/" { return "client_id has no path." }
    if web.fragment != nil || web.withoutCredentials != web { return "client_id has a fragment or a user name." }
    let parts = web.path.split(separator: "/")
    return parts.contains(".") || parts.contains("..") ? "client_id has dots as a part of its path." : nil
  }
}
