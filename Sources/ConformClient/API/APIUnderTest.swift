import Conform
import Core
import Crypto
package import HTTPClient
package import HostLoop
import JOSE
import JSON
import LocalTenant

/// An API that is asked with right and wrong access tokens.
@HostActor
package final class APIUnderTest {
  /// The address of the API and the tokens that it should take.
  package struct Settings: Sendable {
    package var url: String
    package var method = "GET"
    /// The body of the request, as JSON; nil for none.
    package var body: String?
    package var audience = "e1f0b3a4-2c77-4b0e-8c19-6d8f0a5b7c21"
    package var scopes = "read write"
    /// A real access token; nil for tokens of the local tenant.
    package var token: String?
    package var http = HTTPClientConfiguration()
    package var timeout = 20.0

    package init(url: String) { self.url = url }
  }

  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var isAccepted: Bool { (200...299).contains(status) }
    var challenges: [String] { headers.all("WWW-Authenticate") }
    var text: String { String(decoding: body.prefix(1 << 16), as: UTF8.self) }
  }

  private(set) var settings: Settings
  let keys: TenantKeys
  /// The issuer of the tokens.
  let issuer: String
  /// The other name of the tenant's origin, where it has keys of an attacker.
  let otherOrigin: String
  /// A key that the tenant publishes when `publishNextKey` is called.
  let nextKey: JWK
  let proofKey: JWK
  private let publish: @Sendable () -> Void
  private let http: HTTPClient
  private(set) var evidence: [Evidence] = []
  private var number = 0

  init(
    _ settings: Settings, keys: TenantKeys, nextKey: JWK, tenant: LyingTenant, publish: @escaping @Sendable () -> Void
  ) throws {
    self.settings = settings
    self.keys = keys
    self.nextKey = nextKey
    self.publish = publish
    proofKey = try JWK.generateEC()
    issuer = tenant.issuer
    otherOrigin = tenant.tenant.url.replacing("127.0.0.1", with: "localhost")
    http = HTTPClient(settings.http)
  }

  func publishNextKey() { publish() }

  /// Lets right tokens have these scopes.
  func demand(scopes: String) { settings.scopes = scopes }

  func takeEvidence() -> [Evidence] {
    defer { evidence = [] }
    return evidence
  }

  // MARK: Tokens

  /// The claims of a right access token of the local tenant.
  var claims: [String: JSON] {
    let now = Int64(UnixTime.now.seconds)
    return [
      "iss": .string(issuer), "aud": .string(settings.audience), "sub": "5b0c6f3e-0000-4000-8000-00000000a11c",
      "oid": "5b0c6f3e-0000-4000-8000-00000000a11c", "tid": "0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40",
      "azp": "9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093", "client_id": "9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093",
      "scp": .string(settings.scopes), "scope": .string(settings.scopes), "name": "Alice Liddell", "ver": "2.0",
      "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + 3600), "jti": .string(SecureRandom.token()),
    ]
  }

  /// A token with changes. With a real token, only changes that need no key of its provider.
  func token(_ edit: (inout TokenDraft) throws -> Void = { _ in }) throws -> String {
    if let given = settings.token {
      guard var draft = try? TokenDraft(given) else {
        throw EndOfProbe(.skipped("the token of --token is no JWT, so it cannot be changed"))
      }
      try edit(&draft)
      if case .own = draft.signature {
        guard draft.isUnchanged(from: given) else {
          throw EndOfProbe(.skipped("it needs a token that the provider signs; --token gives one token only"))
        }
        return draft.finish(given)
      }
      return try draft.signed(keys)
    }
    var draft = TokenDraft(
      header: ["alg": "RS256", "typ": "JWT", "kid": .string(keys.own.keyID ?? "")], claims: claims)
    try edit(&draft)
    return try draft.signed(keys)
  }

  // MARK: Requests

  /// Sends a request.
  /// - Parameters:
  ///   - authorization: the values of the Authorization header, one for each field.
  ///   - edit: changes the request.
  func ask(_ authorization: [String], _ edit: (inout HTTPRequest) -> Void = { _ in }) async throws -> Answer {
    var request = HTTPRequest(
      method: settings.method, url: settings.url, headers: ["Accept": "application/json"],
      body: settings.body.map { Array($0.utf8) }, timeout: settings.timeout, followsRedirects: false)
    if settings.body != nil { request.headers["Content-Type"] = "application/json" }
    for value in authorization { request.headers.append("Authorization", value) }
    edit(&request)
    number += 1
    let shown = request.headers.fields.map { (name: $0.name, value: Self.shown($0)) }
    let address = WebAddress(request.url).base
    do {
      let response = try await http.send(request)
      evidence.append(
        Evidence(
          request: "\(request.method) \(address)", sent: shown, status: response.status,
          code: response.headers["WWW-Authenticate"].flatMap(Self.errorCode),
          received: response.headers["WWW-Authenticate"] ?? "\(response.body.count) bytes", line: number))
      return Answer(status: response.status, headers: response.headers, body: response.body)
    } catch {
      evidence.append(
        Evidence(
          request: "\(request.method) \(address)", sent: shown, status: nil, received: error.message, line: number))
      throw EndOfProbe(.unclear("the API gave no answer: \(error.message)"))
    }
  }

  func ask(bearer token: String, _ edit: (inout HTTPRequest) -> Void = { _ in }) async throws -> Answer {
    try await ask(["Bearer \(token)"], edit)
  }

  private static func shown(_ field: HTTPHeaders.Field) -> String {
    guard ["authorization", "dpop", "cookie"].contains(field.name.lowercased()) else { return field.value }
    return "\(field.value.prefix { $0 != " " && $0 != "=" }) […]"
  }

  nonisolated static func errorCode(_ challenge: String) -> String? {
    guard let start = challenge.firstRange(of: "error=\"")?.upperBound else { return nil }
    return String(challenge[start...].prefix { $0 != "\"" })
  }
}

extension TokenDraft {
  init(header: [String: JSON], claims: [String: JSON]) {
    self.header = header
    self.claims = claims
  }

  fileprivate func isUnchanged(from text: String) -> Bool {
    (try? TokenDraft(text)).map { $0.header == header && $0.claims == claims } ?? false
  }
}
