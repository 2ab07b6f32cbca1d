import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup

/// A browser without scripts that stops at redirects, and a client of the tenant's application.
@HostActor final class Browser {
  /// A tenant for tests that change nothing. It is shared because making a signing key takes long.
  private static let shared = Result { try LocalTenant() }
  static func ofSharedTenant() throws -> Browser { try Browser(shared.get()) }

  static let policy = "b2c_1_susi"
  static let domain = "contoso.onmicrosoft.com"
  static let redirectURI = "http://127.0.0.1:49152/callback"
  nonisolated static let verifier = "0123456789-0123456789-0123456789-0123456789"

  /// Keeps the tenant alive.
  let tenant: LocalTenant
  let base: String
  let clientID: String
  let http: HTTPClient
  var cookies: CookieJar
  private(set) var page = HTMLDocument()
  private(set) var response = HTTPResponse(status: 0)

  init(
    _ tenant: LocalTenant, policy: String = Browser.policy, base: String? = nil, http: HTTPClient = HTTPClient()
  ) {
    self.tenant = tenant
    self.base = base ?? "\(tenant.url)/\(Self.domain)/\(policy)"
    clientID = LocalTenant.nativeApplication.id
    self.http = http
    cookies = CookieJar()
  }

  @discardableResult
  func get(_ url: String) async throws -> HTTPResponse {
    var request = HTTPRequest(url: url)
    request.followsRedirects = false
    return try await take(request)
  }

  @discardableResult
  func post(_ url: String, _ fields: [(String, String)], headers: HTTPHeaders = [:]) async throws -> HTTPResponse {
    var request = HTTPRequest.form(url: url, fields: fields, headers: headers)
    request.followsRedirects = false
    return try await take(request)
  }

  private func take(_ request: HTTPRequest) async throws -> HTTPResponse {
    var request = request
    request.cookies = cookies
    // The time limit is long, because all tests run at once and some tenants are still making their keys.
    request.timeout = 300
    response = try await http.send(request)
    page = try HTMLDocument(parsing: response.body)
    return response
  }

  /// The parameters of an ordinary request with PKCE; `changes` replaces, adds, or with nil removes parameters.
  func authorizationFields(_ changes: [String: String?] = [:]) -> [(String, String)] {
    var fields: [String: String] = [
      "client_id": clientID, "response_type": "code", "redirect_uri": Self.redirectURI,
      "scope": "openid offline_access \(clientID)", "state": "a state & more", "nonce": "n-1",
      "code_challenge": Base64URL.encode(SHA256.hash(Self.verifier.utf8)), "code_challenge_method": "S256",
    ]
    for (name, value) in changes { fields[name] = value }
    return fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  @discardableResult
  func authorize(_ changes: [String: String?] = [:]) async throws -> HTTPResponse {
    let separator = base.contains("?") ? "&" : "?"
    let path =
      base.contains("?") ? base.replacing("?", with: "/oauth2/v2.0/authorize?") : base + "/oauth2/v2.0/authorize"
    return try await get(path + separator + URLEncodedForm.encode(authorizationFields(changes)))
  }

  /// Fills in the page's form and submits it with the named button.
  @discardableResult
  func submit(_ values: [String: String], button: String) async throws -> HTTPResponse {
    guard let form = page.forms.first else { return response }
    var fields = form.fields.map { ($0.name, values[$0.name] ?? $0.value) }
    fields.append(("action", button))
    return try await post(resolve(reference: form.action ?? "", against: response.url) ?? "", fields)
  }

  /// Follows the link with this text.
  @discardableResult
  func follow(_ text: String) async throws -> HTTPResponse {
    let link = page.links.first { $0.text == text }
    return try await get(resolve(reference: link?.target ?? "", against: response.url) ?? "")
  }

  /// The fields of the redirect, from its query or its fragment.
  var redirected: [String: String] {
    let location = response.headers["Location"] ?? ""
    guard let mark = location.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return [:] }
    return Dictionary(URLEncodedForm.decode(location[mark...].dropFirst())) { _, last in last }
  }

  /// Signs in, from the authorization request to the answer.
  func signIn(
    _ username: String = "alice", _ password: String = "Wonderland-1", _ changes: [String: String?] = [:]
  ) async throws {
    try await authorize(changes)
    try await submit(["logonIdentifier": username, "password": password], button: "sign_in")
  }

  var tokenURL: String {
    base.contains("?") ? base.replacing("?", with: "/oauth2/v2.0/token?") : base + "/oauth2/v2.0/token"
  }

  func token(_ fields: [(String, String)], headers: HTTPHeaders = [:]) async throws -> (status: Int, body: JSON) {
    let response = try await post(tokenURL, fields, headers: headers)
    return (response.status, try JSON(parsing: response.body))
  }

  func redeem(code: String, _ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    var fields: [String: String] = [
      "grant_type": "authorization_code", "code": code, "client_id": clientID, "redirect_uri": Self.redirectURI,
      "code_verifier": Self.verifier,
    ]
    for (name, value) in changes { fields[name] = value }
    return try await token(fields.map { ($0.key, $0.value) })
  }

  /// Redeems the code of the redirect and returns the claims of the ID token.
  func claims() async throws -> JSON {
    let token = try await redeem(code: redirected["code"] ?? "").body["id_token"]?.string
    return try JWT(decoding: token ?? "").claims
  }

  func refresh(_ token: String, scope: String = "") async throws -> (status: Int, body: JSON) {
    try await self.token([
      ("grant_type", "refresh_token"), ("client_id", clientID), ("refresh_token", token), ("scope", scope),
    ])
  }

  /// Signs in and redeems the code.
  func tokens(
    _ username: String = "alice", _ password: String = "Wonderland-1", _ changes: [String: String?] = [:]
  ) async throws -> JSON {
    try await signIn(username, password, changes)
    return try await redeem(code: redirected["code"] ?? "").body
  }
}
