import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// The documents that lead from an MCP server to its authorization server, as a client finds them.
struct MCPDocuments: Sendable {
  /// A place of a document, with its answer; nil without one.
  struct Place: Sendable {
    let url: String
    let answer: APIUnderTest.Answer?

    /// The object at the place.
    var json: JSON? {
      guard let answer, answer.status == 200 else { return nil }
      return (try? JSON(parsing: answer.body, maximumDepth: 32)).flatMap { $0.object == nil ? nil : $0 }
    }
    var shown: String { "\(WebAddress(url).shown) (\(answer.map { "\($0.status)" } ?? "no answer"))" }
  }

  /// The answer to a request without a token.
  let challenge: APIUnderTest.Answer
  /// The places of the resource metadata: of the challenge, with the path, at the root.
  let named: Place?
  let atPath: Place
  let atRoot: Place
  /// The places of the metadata of the first authorization server, in the order of the protocol.
  let servers: [Place]

  var bearer: AuthenticationChallenge? { challenge.bearer }

  /// The resource metadata that a client uses.
  var resource: Place? { (named.map { [$0] } ?? [atPath, atRoot]).first { $0.json != nil } }
  /// The metadata of the authorization server that a client uses.
  var server: Place? { servers.first { $0.json != nil } }

  /// A document that is there.
  typealias Found = (url: String, answer: APIUnderTest.Answer, json: JSON)

  /// The resource metadata. A check without them is unclear.
  func needResource() throws -> Found { try need(resource, "resource metadata") }
  /// The metadata of the authorization server. A check without them is unclear.
  func needServer() throws -> Found { try need(server, "metadata of an authorization server") }

  private func need(_ place: Place?, _ name: String) throws -> Found {
    guard let place, let answer = place.answer, let json = place.json else {
      throw EndOfProbe(.unclear("there is no \(name)"))
    }
    return (place.url, answer, json)
  }

  var issuers: [String] { resource?.json?["authorization_servers"]?.array?.compactMap(\.string) ?? [] }
  /// The scopes of the challenge, else those that the resource lists.
  var scopes: [String] {
    bearer?.parameters["scope"]?.split(separator: " ").map(String.init)
      ?? resource?.json?["scopes_supported"]?.array?.compactMap(\.string) ?? []
  }

  /// The well-known addresses of the metadata of a resource (RFC 9728, 3.1): with the path, and at the root.
  static func resourcePlaces(_ url: String) -> (path: String, root: String) {
    let address = WebAddress(url)
    let origin = String(address.base.dropLast(address.path.count))
    let root = "\(origin)/.well-known/oauth-protected-resource"
    return (root + (address.path == "/" ? "" : address.path) + (address.query.map { "?\($0)" } ?? ""), root)
  }

  /// The addresses of the metadata of an issuer: as RFC 8414 and as OpenID Connect have them.
  static func serverPlaces(_ issuer: String) -> [String] {
    let address = WebAddress(issuer)
    let path = address.path.hasSuffix("/") ? String(address.path.dropLast()) : String(address.path)
    let root = String(address.base.dropLast(address.path.count))
    let (standard, openID) = ("\(root)/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
    guard !path.isEmpty else { return [standard, root + openID] }
    return [standard + path, root + openID + path, root + path + openID]
  }
}

extension APIUnderTest.Answer {
  /// The challenge of the scheme Bearer.
  var bearer: AuthenticationChallenge? {
    HTTPResponse(status: status, headers: headers).challenges.first { $0.scheme == "bearer" }
  }
  var isDenied: Bool { status == 401 || status == 403 }
  var json: JSON? { try? JSON(parsing: body, maximumDepth: 32) }
}
