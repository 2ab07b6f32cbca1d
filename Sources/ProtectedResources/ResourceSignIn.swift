import Core
package import HTTPClient
package import HostLoop
import JSON
package import Settings

/// The parts of a sign-in for a protected resource, found from the address of the resource alone (RFC 9728, RFC 8414, and the
/// authorization of the Model Context Protocol).
package struct ResourceSignIn: Sendable {
  /// The authorization server, and the application as its client.
  package let settings: Settings
  /// For the parameter `resource` of all requests (RFC 8707).
  package let resource: String
  /// Empty to send no `scope`.
  package let scopes: [String]
  /// The authorization server, as its metadata document names it.
  package let issuer: String
}

/// Finds out how to sign in for a protected resource.
@HostActor
package struct ResourceDiscovery {
  private let resource: ResourceAddress
  private let http: HTTPClient
  private let base: Settings?
  private let fetch: GuardedFetch

  /// - Parameters:
  ///   - url: the address of the resource.
  ///   - base: the settings of the run, which may have an application for the authorization server; nil without any.
  ///   - allowsPrivate: true if documents may come from private addresses.
  /// - Throws: `invalid_resource`
  package init(_ url: String, http: HTTPClient, base: Settings?, allowsPrivate: Bool) throws(DiscoveryError) {
    resource = try ResourceAddress(url)
    self.http = http
    self.base = base
    fetch = GuardedFetch(http, named: resource.origin, allowsPrivate: allowsPrivate)
  }

  /// Asks the resource without a token, and follows what it says.
  /// - Parameters:
  ///   - challenge: the challenge of the resource, if it was asked already.
  ///   - scopes: the scopes that the tokens need besides those of the challenge.
  ///   - known: the application that an issuer registered earlier.
  package func signIn(
    after challenge: AuthenticationChallenge? = nil, with scopes: [String] = [],
    known: (_ issuer: String) async throws -> KnownClient?
  ) async throws -> ResourceSignIn {
    let challenge = if let challenge { challenge } else { try await ask() }
    let metadata = try await ResourceMetadata.find(
      resource, at: challenge?.parameters["resource_metadata"], fetch)
    let issuer = chosen(metadata.servers)
    let server = try await AuthorizationServer.find(issuer, fetch)
    let choice = ClientChoice(server: server, resource: resource, base: base, http: http)
    return ResourceSignIn(
      settings: try await choice.settings(known), resource: metadata.resource,
      scopes: Self.scopes(challenge, metadata, server, and: scopes), issuer: issuer)
  }

  /// The servers that the resource names now.
  /// - Throws: the errors of `ResourceMetadata.find`.
  package func servers(after challenge: AuthenticationChallenge?) async throws -> [String] {
    try await ResourceMetadata.find(resource, at: challenge?.parameters["resource_metadata"], fetch).servers
  }

  /// The server that the settings have an application for, else the first.
  private func chosen(_ servers: [String]) -> String {
    let known = base.flatMap { base in
      (try? base.clientID) == nil ? nil : servers.first { ClientChoice.isRegistered(base, with: $0) }
    }
    return known ?? servers[0]
  }

  /// The scopes of the challenge, else those that the resource names, else none.
  private static func scopes(
    _ challenge: AuthenticationChallenge?, _ metadata: ResourceMetadata, _ server: AuthorizationServer,
    and earlier: [String]
  ) -> [String] {
    let words = challenge?.parameters["scope"]?.split(separator: " ").map(String.init)
    var scopes: [String] = []
    for scope in earlier + (words ?? metadata.scopes ?? []) where !scopes.contains(scope) { scopes.append(scope) }
    // Without any scope the server decides, and one scope alone would take that from it.
    let offline = "offline_access"
    guard !scopes.isEmpty, server.strings("scopes_supported")?.contains(offline) == true, !scopes.contains(offline)
    else { return scopes }
    return scopes + [offline]
  }

  /// The challenge of the resource to a request without a token; nil for an answer without one.
  private func ask() async throws -> AuthenticationChallenge? {
    var request = HTTPRequest(
      method: "POST", url: resource.url,
      headers: ["Accept": "application/json, text/event-stream", "Content-Type": "application/json"],
      body: Self.question.bytes(), timeout: 10)
    request.followsRedirects = false
    request.maximumBodySize = 64 << 10
    // An answer may be a stream without an end.
    var isAnswered = false
    request.onBody = { _ in
      isAnswered = true
      return false
    }
    let response: HTTPResponse
    do { response = try await http.send(request) } catch {
      guard isAnswered else { throw error }
      throw unprotected()
    }
    guard !(200..<300).contains(response.status) else { throw unprotected() }
    guard response.status != 404 else {
      throw DiscoveryError(
        .notProtected, "there is no server at \(resource.url): it answers 404", hint: "check the path of the address",
        status: 404)
    }
    return response.challenges.first { $0.scheme == "bearer" }
  }

  private func unprotected() -> DiscoveryError {
    DiscoveryError(
      .notProtected, "\(resource.url) answers without a sign-in", hint: "connect to it without an account")
  }

  private static let question: JSON = [
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": [
      "protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": ["name": "b2c-run", "version": "1"],
    ],
  ]
}
