import ConformMatrix
import Core
import Crypto
import HTTPClient
import HostLoop
import JSON
import LocalTenant

/// A tenant of the rehearsal, as an application sees it.
@HostActor
final class RehearsalTenant {
  nonisolated static let redirectURI = "http://localhost:8914/callback"
  static let scope = "openid offline_access https://contoso.onmicrosoft.com/tasks/read"

  let tenant: LocalTenant
  let http: HTTPClient
  var clientID: String { LocalTenant.nativeApplication.id }

  init(_ kind: TenantKind) throws {
    tenant = try LocalTenant(TenantConfiguration(kind: kind))
    http = HTTPClient(HTTPClientConfiguration(maximumConnectionsPerHost: 8))
  }

  var isB2C: Bool { tenant.kind == .b2c }
  private var root: String { "\(tenant.url)/contoso.onmicrosoft.com" }
  func base(policy: String = "b2c_1_susi") -> String { isB2C ? "\(root)/\(policy)" : root }

  func stop() { tenant.stop() }

  // MARK: Requests

  struct Answer: Sendable {
    let status: Int
    let body: JSON?
    func string(_ name: String) -> String? { body?[name]?.string }
  }

  func metadata(policy: String = "b2c_1_susi") async throws -> Answer {
    let response = try await http.send(
      HTTPRequest(url: "\(base(policy: policy))/v2.0/.well-known/openid-configuration"))
    return Answer(status: response.status, body: try? JSON(parsing: response.body))
  }

  func post(_ path: String, policy: String = "b2c_1_susi", _ fields: [(String, String)]) async throws -> Answer {
    let response = try await http.send(.form(url: "\(base(policy: policy))/\(path)", fields: fields))
    return Answer(status: response.status, body: try? JSON(parsing: response.body))
  }

  /// An authorization request with changes, and the parameters of the redirect; nil if it ends at a page.
  func authorize(
    _ user: (name: String, password: String), _ changes: [String: String?] = [:]
  ) async throws -> [(String, String)]? {
    var fields = [
      "client_id": clientID, "response_type": "code", "redirect_uri": Self.redirectURI, "scope": Self.scope,
      "state": "rehearsal", "nonce": "rehearsal", "code_challenge_method": "S256",
      "code_challenge": Base64URL.encode(SHA256.hash(Self.verifier.utf8)),
    ]
    for (name, value) in changes { fields[name] = value }
    let url = "\(base())/oauth2/v2.0/authorize?" + URLEncodedForm.encode(fields.sorted { $0.key < $1.key })
    return try await ImitatedBrowser(http: http).open(
      url, redirectURI: Self.redirectURI, username: user.name, password: Secret(user.password))
  }

  static let verifier = "a-verifier-of-forty-three-characters-at-least"

  func redeem(_ code: String, _ changes: [String: String] = [:]) async throws -> Answer {
    var fields = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI, "client_id": clientID,
      "code_verifier": Self.verifier,
    ]
    fields.merge(changes) { $1 }
    return try await post("oauth2/v2.0/token", fields.map { ($0.key, $0.value) })
  }

  // MARK: Passwords

  /// True if the password is right: at B2C by the grant for passwords, at External ID by native authentication.
  func takes(_ user: String, _ password: String) async throws -> Bool {
    if isB2C {
      return try await post(
        "oauth2/v2.0/token", policy: "b2c_1_ropc",
        [
          ("grant_type", "password"), ("client_id", clientID), ("username", user), ("password", password),
          ("scope", "openid \(clientID)"),
        ]
      ).status == 200
    }
    guard var token = try await native("oauth2/v2.0/initiate", [("username", user), Self.types]) else { return false }
    guard let next = try await native("oauth2/v2.0/challenge", [("continuation_token", token), Self.types]) else {
      return false
    }
    token = next
    return try await post(
      "oauth2/v2.0/token",
      [
        ("client_id", clientID), ("grant_type", "password"), ("continuation_token", token), ("password", password),
        ("scope", "openid offline_access"),
      ]
    ).status == 200
  }

  private static let types = ("challenge_type", "password redirect")

  private func native(_ path: String, _ fields: [(String, String)]) async throws -> String? {
    try await post(path, [("client_id", clientID)] + fields).string("continuation_token")
  }

  /// Stores a password in place of another one, as External ID does for `MigratePassword`.
  func store(_ password: String, of user: String) throws {
    try tenant.removeUser(user)
    try tenant.addUser(username: user, password: password)
  }
}
