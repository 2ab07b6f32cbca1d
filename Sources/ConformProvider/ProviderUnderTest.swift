import Core
import Crypto
package import HTTPClient
package import HostLoop
import JOSE
package import JSON

/// The provider and what the checks share: documents, clients, and one right sign-in.
@HostActor
package final class ProviderUnderTest {
  /// The choices of a user for a run.
  package struct Options: Sendable {
    package var metadataURL: String
    /// The issuer that the user named; nil to take that of the metadata.
    package var issuer: String?
    package var client: ProviderClient?
    /// Another client, for tokens that belong to one client.
    package var otherClient: ProviderClient?
    /// A client with a key, for assertions and request objects.
    package var keyClient: ProviderClient?
    package var user: ProviderUser?
    /// True if the run may sign in.
    package var isActive = false
    package var mayLock = false
    /// True if each token request has a DPoP proof, because the provider demands it.
    package var provesKeys = false
    /// The most requests a second; nil for no limit.
    package var rate: Double?
    package var http = HTTPClientConfiguration()

    package nonisolated init(metadataURL: String) { self.metadataURL = metadataURL }
  }

  /// The responses of one sign-in that does everything right.
  struct RightSignIn: Sendable {
    let attempt: Attempt
    let landing: Landing
    let token: Answer
    var accessToken: String { token.string("access_token") ?? "" }
    var idToken: String? { token.string("id_token") }
    var refreshToken: String? { token.string("refresh_token") }
  }

  package let options: Options
  let metadataAnswer: Answer
  package let metadata: [String: JSON]
  let keysAnswer: Answer?
  /// The right sign-in; nil if the run is passive or the sign-in failed.
  var right: RightSignIn?
  /// The session of the right sign-in, so that others need no password.
  let session = CookieJar()
  /// The key of DPoP proofs.
  lazy var proofKey = try? PrivateKey.generate(
    try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "ES256"))
  package private(set) var requests = 0
  private var nextRequest = 0.0

  init(_ options: Options, metadata answer: Answer, _ members: [String: JSON], keys: Answer?) {
    self.options = options
    metadataAnswer = answer
    metadata = members
    keysAnswer = keys
  }

  func string(_ name: String) -> String? { metadata[name]?.string }
  func list(_ name: String) -> [String]? { metadata[name]?.array?.compactMap(\.string) }

  var issuer: String { string("issuer") ?? "" }
  package var isLoopback: Bool { Origin(options.metadataURL)?.isLoopback == true }
  var isOpenID: Bool { options.client?.scope.split(separator: " ").contains("openid") == true }
  /// True if each authorization request has to be pushed.
  var needsPushing: Bool { metadata["require_pushed_authorization_requests"] == .bool(true) }
  var keys: [JSON] { keysAnswer?["keys"]?.array ?? [] }

  /// Counts a request, and waits as the rate demands.
  func admit() async throws {
    requests += 1
    guard let rate = options.rate else { return }
    let now = HostLoop.uptime
    let wait = max(0, nextRequest - now)
    nextRequest = max(now, nextRequest) + 1 / rate
    if wait > 0 { try await HostLoop.shared.sleep(seconds: wait) }
  }
}

/// An authorization request of a client, and what the client remembers of it.
struct Attempt: Sendable {
  var client: ProviderClient
  var fields: Fields
  let verifier: String

  init(_ client: ProviderClient) {
    self.client = client
    verifier = SecureRandom.token(32)
    fields = [
      "client_id": client.id, "response_type": "code", "redirect_uri": client.redirectURI, "scope": client.scope,
      "state": SecureRandom.token(16), "code_challenge": Base64URL.encode(SHA256.hash(verifier.utf8)),
      "code_challenge_method": "S256",
    ]
    if client.scope.split(separator: " ").contains("openid") { fields["nonce"] = SecureRandom.token(16) }
    for (name, value) in client.habits { fields[name] = value }
  }

  /// The form that redeems the code.
  func form(code: String) -> Fields {
    var form: Fields = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": client.redirectURI, "code_verifier": verifier,
    ]
    // A client without PKCE has no verifier either.
    if case .some(nil) = client.habits["code_challenge"] { form["code_verifier"] = nil }
    return form
  }
}
