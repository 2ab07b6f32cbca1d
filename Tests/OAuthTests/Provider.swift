import Core
import HTTPClient
import HTTPServer
import HostLoop
import JOSE
import JSON
import Settings
import Synchronization
import Testing

@testable import OAuth

/// An identity provider on loopback that sends the responses of a test.
final class Provider: Sendable {
  struct State {
    var keys: [JWK] = []
    var metadata: [String: JSON] = [:]
    var metadataHeaders: [(String, String)] = []
    /// By path, in place of the usual ones.
    var answers: [String: ServerResponse] = [:]
    var token = ServerResponse(text: "{}", type: "application/json")
    var requests: [ServerRequest] = []
  }

  /// Made once: keys are slow to make.
  static let key = try? JWK.generateRSA(keyID: "key-1")
  static let otherKey = try? JWK.generateRSA(keyID: "key-2")
  static let time = 1_700_000_000.0
  static let path = "/contoso.onmicrosoft.com/b2c_1_in/v2.0"

  private let state = Mutex(State())
  private let server = Mutex<HTTPServer?>(nil)

  init() throws {
    let key = try #require(Self.key)
    state.withLock { $0.keys = [key] }
    let server = try HTTPServer { [weak self] in self?.answer($0) ?? ServerResponse(status: 500) }
    self.server.withLock { $0 = server }
  }

  deinit { server.withLock { $0?.stop() } }

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  var url: String { "http://127.0.0.1:\(server.withLock { $0?.port ?? 0 })" }
  var issuer: String { "\(url)\(Self.path)/" }

  func count(_ path: String) -> Int { state.withLock { $0.requests.count { $0.path.hasSuffix(path) } } }
  var last: ServerRequest? { state.withLock { $0.requests.last } }

  func settings(_ changes: [String: JSON] = [:]) throws -> Settings {
    try Settings(
      values: [
        "authority": .string("\(url)/contoso.onmicrosoft.com"), "policies": ["signIn": "b2c_1_in"], "clientID": "app",
        "bhh": "http://localhost:8080/done",
      ], source: "settings.plist"
    ).with(changes)
  }

  func client(
    _ changes: [String: JSON] = [:], now: Double = Provider.time, timeout: Double = 30
  ) throws -> OAuth.Provider {
    OAuth.Provider(settings: try settings(changes), http: HTTPClient(), now: { now }, timeout: timeout)
  }

  /// Answers the next token requests.
  func token(_ text: String, status: Int = 200, type: String = "application/json", headers: [(String, String)] = []) {
    state.withLock { $0.token = ServerResponse(status: status, headers: headers, text: text, type: type) }
  }

  /// Answers the next requests to a path.
  func answer(
    _ path: String, _ text: String, status: Int = 200, type: String = "application/json",
    headers: [(String, String)] = []
  ) {
    change { $0.answers[path] = ServerResponse(status: status, headers: headers, text: text, type: type) }
  }

  /// An ID token in order, but for `changes`.
  func idToken(_ changes: [String: JSON] = [:], key: JWK? = Provider.key, header: [String: JSON] = [:]) throws -> String
  {
    var claims: [String: JSON] = [
      "iss": .string(issuer), "aud": "app", "sub": "alice", "exp": .integer(Int64(Self.time) + 3600),
      "iat": .integer(Int64(Self.time)), "nbf": .integer(Int64(Self.time)), "nonce": "n-1", "tfp": "B2C_1_in",
      "auth_time": .integer(Int64(Self.time)), "name": "Alice", "emails": ["alice@example.com"], "oid": "o-1",
    ]
    for (name, value) in changes { claims[name] = value == .null ? .none : value }
    let key = try #require(key)
    var fields: [String: JSON] = ["alg": "RS256", "typ": "JWT", "kid": key.keyID.map(JSON.string) ?? .null]
    for (name, value) in header { fields[name] = value == .null ? .none : value }
    return try JWS.sign(Array(JSON.object(claims).encoded().utf8), header: .object(fields), key: key)
  }

  private func answer(_ request: ServerRequest) -> ServerResponse {
    let state = state.withLock { state in
      state.requests.append(request)
      return state
    }
    if let answer = state.answers[request.path] { return answer }
    switch request.path {
    case "\(Self.path)/.well-known/openid-configuration":
      if let tag = state.metadataHeaders.first(where: { $0.0 == "ETag" })?.1, request.header("If-None-Match") == tag {
        return ServerResponse(status: 304, headers: state.metadataHeaders)
      }
      var members: [String: JSON] = [
        "issuer": .string(issuer), "authorization_endpoint": .string("\(url)/authorize?p=b2c_1_in"),
        "token_endpoint": .string("\(url)/token?p=b2c_1_in"), "end_session_endpoint": .string("\(url)/logout"),
        "jwks_uri": .string("\(url)/keys"), "id_token_signing_alg_values_supported": ["RS256"],
        "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
      ]
      for (name, value) in state.metadata { members[name] = value == .null ? .none : value }
      return ServerResponse(
        headers: state.metadataHeaders, text: JSON.object(members).encoded(), type: "application/json")
    case "/keys":
      return ServerResponse(
        headers: state.metadataHeaders.filter { $0.0 == "Date" },
        text: (try? JWKSet(state.keys).published().encoded()) ?? "", type: "application/json")
    case "/token": return state.token
    default: return ServerResponse(status: 404, text: "<html><body>Nothing here</body></html>", type: "text/html")
    }
  }
}

/// The error that `body` throws.
func oauthError(_ body: @HostActor () async throws -> Void) async -> OAuthError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? OAuthError
  }
}

extension TokenRequest {
  /// Redeems an authorization code (RFC 6749, 4.1.3).
  static func authorizationCode(
    _ code: String, redirectURI: String, verifier: String, scopes: [String]? = nil
  ) -> TokenRequest {
    TokenRequest(
      grantType: "authorization_code",
      parameters: ["code": code, "redirect_uri": redirectURI, "code_verifier": verifier], scopes: scopes)
  }
}

extension AuthorizationResponse {
  /// Reads a redirect.
  init(
    redirect url: String, expectedRedirectURI: String? = nil, state: String? = nil, issuer: String? = nil,
    requiresIssuer: Bool = false
  ) throws(OAuthError) {
    try self.init(
      parameters: Self.parameters(of: url, expectedRedirectURI: expectedRedirectURI), state: state, issuer: issuer,
      requiresIssuer: requiresIssuer)
  }

  var code: String? { parameters["code"] }
  var state: String? { parameters["state"] }
  var idToken: String? { parameters["id_token"] }
  var accessToken: Secret? { parameters["access_token"].map { Secret(given: $0) } }
}

extension IDTokenValidator {
  /// Validates the ID token of a redirect as a script does that wants both hashes; nil without an ID token.
  func validate(_ response: AuthorizationResponse, nonce: String, maxAge: Int? = nil) async throws -> JSON? {
    guard let idToken = response.idToken else { return nil }
    return try await validate(
      idToken: idToken, nonce: nonce, maxAge: maxAge, accessToken: response.accessToken,
      code: response.code, requiresHashes: true)
  }
}
