import Core
import HTTPClient
import HostLoop
import JSON

/// An authorization server by its metadata document (RFC 8414, 2), whose issuer is the one that the resource names.
struct AuthorizationServer: Sendable {
  let issuer: String
  /// The address of the document.
  let metadataURL: String
  let json: JSON

  private static let what = "the metadata document"

  /// Finds the document of an issuer.
  /// - Throws: `no_metadata`, `malformed_metadata`, `issuer_mismatch`, `pkce_not_supported`, `unsafe_document`.
  @HostActor
  static func find(_ issuer: String, _ fetch: GuardedFetch) async throws -> AuthorizationServer {
    _ = try fetch.check(issuer, "the authorization server")
    var tried: [String] = []
    for place in places(of: issuer) {
      switch try await fetch.find(place, what) {
      case .document(let json): return try AuthorizationServer(json, of: issuer, from: place)
      case .nothing(let reason): tried.append("\(place) (\(reason))")
      }
    }
    throw DiscoveryError(
      .noDocument,
      "the authorization server \(issuer) has no metadata document: there is none at "
        + tried.joined(separator: " and "),
      hint: "the server must publish the document of RFC 8414 or of OpenID Connect Discovery")
  }

  /// The addresses of the document, in the order in which they are asked.
  static func places(of issuer: String) -> [String] {
    let address = WebAddress(issuer)
    let path = address.path.hasSuffix("/") ? address.path.dropLast() : address.path
    let root = address.base.dropLast(address.path.count)
    let (standard, openID) = (".well-known/oauth-authorization-server", ".well-known/openid-configuration")
    guard !path.isEmpty else { return ["\(root)/\(standard)", "\(root)/\(openID)"] }
    return ["\(root)/\(standard)\(path)", "\(root)/\(openID)\(path)", "\(root)\(path)/\(openID)"]
  }

  private init(_ json: JSON, of issuer: String, from place: String) throws(DiscoveryError) {
    // The same text: two addresses that mean the same may be two tenants of a server.
    guard json["issuer"]?.string == issuer else {
      let actual = json["issuer"]?.string.map { "\"\($0.displayable)\"" } ?? "none"
      throw DiscoveryError(
        .otherIssuer, "\(Self.what) \(place) names another issuer: expected \"\(issuer)\", got \(actual)",
        hint: "somebody may pass off one server for another; tell the owner of the authorization server",
        details: ["expected": issuer, "actual": actual])
    }
    let methods = json["code_challenge_methods_supported"]?.array?.compactMap(\.string)
    guard methods?.contains("S256") == true else {
      throw DiscoveryError(
        .noPKCE,
        "the authorization server \(issuer) does not promise PKCE with S256 (code_challenge_methods_supported is "
          + "\(methods.map { "\"\($0.joined(separator: " "))\"" } ?? "missing"))",
        hint: "without PKCE a stolen code is good for tokens; the server must list S256 in \(place)")
    }
    self.issuer = issuer
    metadataURL = place
    self.json = json
  }

  /// A list of the document; nil where it says nothing.
  func strings(_ name: String) -> [String]? { json[name]?.array?.compactMap(\.string) }

  /// True if a client may be named by the address of its metadata document.
  var takesClientDocuments: Bool { json["client_id_metadata_document_supported"]?.bool == true }
}
