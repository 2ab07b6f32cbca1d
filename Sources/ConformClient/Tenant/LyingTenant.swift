import Core
package import HTTPServer
import HostLoop
import JSON
package import LocalTenant
import Synchronization
import TenantMCP

/// A local tenant of one run, which tells the lie of the run and notes all requests.
package final class LyingTenant: Sendable {
  package let tenant: LocalTenant
  private let teller: Teller

  /// - Parameter isMCP: true if the tenant is an MCP server, too.
  package init(_ lie: Lie, keys: TenantKeys, kind: TenantKind, tls: TLSIdentity? = nil, isMCP: Bool = false) throws {
    let teller = Teller(lie, keys)
    var configuration = TenantConfiguration(tls: tls, kind: kind, signingKey: keys.own)
    let server = isMCP ? TenantMCP(in: &configuration) : nil
    let inner = configuration.between
    configuration.between = { request, tenant in
      teller.answer(request) { inner?($0, tenant) ?? tenant($0) }
    }
    lie.configure(&configuration)
    tenant = try LocalTenant(configuration)
    teller.begin(at: tenant.url)
    server?.begin(before: tenant)
    self.teller = teller
    try lie.prepare(tenant)
  }

  package var exchanges: [Exchange] { teller.exchanges }

  /// Tells another lie from now on, and forgets the requests.
  func change(to lie: Lie) throws {
    teller.change(to: lie)
    try lie.prepare(tenant)
  }

  /// `http://127.0.0.1:8910/contoso.onmicrosoft.com/v2.0`
  var issuer: String { "\(base)/v2.0" }
  var base: String {
    "\(tenant.url)/contoso.onmicrosoft.com" + (tenant.kind == .b2c ? "/b2c_1_susi" : "")
  }

  package func values(isConfidential: Bool, redirectURI: String, folder: String) -> ProgramValues {
    let application = isConfidential ? LocalTenant.webApplication : LocalTenant.nativeApplication
    return ProgramValues(values: [
      ("issuer", issuer), ("client_id", application.id), ("client_secret", application.secret ?? ""),
      ("redirect_uri", redirectURI), ("authorize_url", "\(base)/oauth2/v2.0/authorize"),
      ("token_url", "\(base)/oauth2/v2.0/token"), ("metadata_url", "\(issuer)/.well-known/openid-configuration"),
      ("jwks_url", "\(base)/discovery/v2.0/keys"), ("userinfo_url", "\(base)/openid/v2.0/userinfo"),
      ("device_url", "\(base)/oauth2/v2.0/devicecode"),
      ("authority", base), ("api", "\(tenant.url)/api/tasks"), ("mcp", "\(tenant.url)/mcp"),
      ("scope", "openid offline_access https://contoso.onmicrosoft.com/tasks/read"), ("dir", folder),
      ("port", redirectURI.split(separator: ":").last.map { String($0.prefix { $0.isNumber }) } ?? ""),
      ("username", LocalTenant.seededUsers[0].username), ("password", LocalTenant.seededUsers[0].password),
    ])
  }
}

/// Changes the responses of the tenant, and notes them.
private final class Teller: Sendable {
  private struct State {
    var lie: Lie
    var exchanges: [Exchange] = []
    var origin = ""
    var hasLied = false
  }

  /// The most exchanges that are kept: a program may ask without end.
  private static let most = 2000

  private let state: Mutex<State>
  private let keys: TenantKeys

  init(_ lie: Lie, _ keys: TenantKeys) {
    state = Mutex(State(lie: lie))
    self.keys = keys
  }

  func begin(at origin: String) { state.withLock { $0.origin = origin } }

  func change(to lie: Lie) {
    state.withLock {
      $0.lie = lie
      $0.exchanges = []
      $0.hasLied = false
    }
  }

  var exchanges: [Exchange] { state.withLock { $0.exchanges } }

  func answer(_ request: ServerRequest, _ tenant: (ServerRequest) -> ServerResponse) -> ServerResponse {
    var part = TenantPart(request.path)
    let (lie, origin, mayLie, earlier) = state.withLock {
      ($0.lie, $0.origin, !$0.lie.isOnce || !$0.hasLied, $0.exchanges)
    }
    var response = part == .metadata ? Self.metadata(request, tenant) : tenant(Self.adapted(request, part))
    if part == .other, response.status == 200, request.path.hasPrefix("/api") { part = .api }
    let place = LiePlace(request: request, keys: keys, origin: origin, earlier: earlier)
    var isLie = false
    if mayLie {
      for change in lie.edits where change.part == part {
        var changed = response
        // A lie that does not fit this response is not told.
        guard (try? change.edit(&changed, place)) != nil else { continue }
        isLie = isLie || !Self.areSame(changed, response)
        response = changed
      }
    }
    let exchange = Exchange(
      part: part, request: request, response: response, isLie: isLie,
      isAtOtherHost: request.header("Host")?.hasPrefix("localhost") == true, time: HostLoop.uptime)
    state.withLock {
      $0.hasLied = $0.hasLied || isLie
      if $0.exchanges.count < Self.most { $0.exchanges.append(exchange) }
    }
    return response
  }

  /// A refresh without a scope is right (RFC 6749 §6), and External ID alone refuses it.
  private static func adapted(_ request: ServerRequest, _ part: TenantPart) -> ServerRequest {
    let form = request.form
    guard part == .token, form.contains(where: { $0 == ("grant_type", "refresh_token") }),
      !form.contains(where: { $0.0 == "scope" })
    else { return request }
    return ServerRequest(
      method: request.method, target: request.target, headers: request.headers,
      body: URLEncodedForm.bytes(form + [("scope", "openid offline_access https://contoso.onmicrosoft.com/tasks/read")])
    )
  }

  /// The metadata are also where RFC 8414 §3 has them: the well-known part in front of the path of the issuer.
  private static func metadata(
    _ request: ServerRequest, _ tenant: (ServerRequest) -> ServerResponse
  ) -> ServerResponse {
    let name = "/.well-known/oauth-authorization-server"
    guard request.path.hasPrefix(name) else { return tenant(request) }
    let target = request.path.dropFirst(name.count) + "/.well-known/openid-configuration"
    return tenant(ServerRequest(method: request.method, target: String(target), headers: request.headers))
  }

  private static func areSame(_ one: ServerResponse, _ other: ServerResponse) -> Bool {
    one.status == other.status && one.body == other.body && one.delay == other.delay && one.drop == other.drop
      && one.headers.elementsEqual(other.headers) { $0 == $1 }
  }
}
