import Core
import HostLoop
import JSON

/// The metadata of a protected resource (RFC 9728, 2).
struct ResourceMetadata: Sendable {
  /// The name of the resource, for the parameter `resource` (RFC 8707).
  let resource: String
  /// The issuers of its tokens, in its order.
  let servers: [String]
  /// Nil if the document says nothing.
  let scopes: [String]?

  private static let what = "the resource metadata"

  /// Finds the document: at the address of the challenge, else at the two well-known ones.
  /// - Throws: `no_metadata`, `malformed_metadata`, `resource_mismatch`, `unsafe_document`.
  @HostActor
  static func find(_ resource: ResourceAddress, at address: String?, _ fetch: GuardedFetch) async throws
    -> ResourceMetadata
  {
    var tried: [String] = []
    for place in address.map({ [$0] }) ?? resource.metadataPlaces {
      switch try await fetch.find(place, what) {
      case .document(let json): return try ResourceMetadata(json, from: place, of: resource)
      case .nothing(let reason): tried.append("\(place) (\(reason))")
      }
    }
    throw DiscoveryError(
      .noDocument,
      "\(resource.url) does not say who signs users in: there is no resource metadata at "
        + tried.joined(separator: " and "),
      hint: "check the address; the server must publish the document of RFC 9728")
  }

  private init(_ json: JSON, from place: String, of asked: ResourceAddress) throws(DiscoveryError) {
    func malformed(_ reason: String) -> DiscoveryError {
      DiscoveryError(
        .malformedDocument, "\(Self.what) \(place) \(reason)", hint: "the server breaks RFC 9728, section 2")
    }
    guard let resource = json["resource"]?.string else { throw malformed("has no resource") }
    guard asked.isNamed(by: resource) else {
      throw DiscoveryError(
        .otherResource,
        "\(Self.what) \(place) is of another resource: expected \"\(asked.url)\", got \"\(resource.displayable)\"",
        hint: "tokens for one server could be taken to another; check the address, and tell the server's owner",
        details: ["expected": asked.url, "actual": resource])
    }
    let servers = (json["authorization_servers"]?.array ?? []).compactMap(\.string)
    guard !servers.isEmpty else { throw malformed("names no authorization_servers") }
    self.resource = resource
    self.servers = servers
    scopes = json["scopes_supported"]?.array?.compactMap(\.string)
  }
}
