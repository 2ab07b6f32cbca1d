import Conform
import ConformProvider
import Core
import HTTPServer
import HostLoop
import JOSE
import JSON
import LocalTenant
import Synchronization

/// A provider of a test: the local tenant with a fault before it, which can be changed.
final class TestProvider: Sendable {
  typealias Next = (ServerRequest) -> ServerResponse
  /// Answers a request, by the tenant or in its place.
  typealias Fault = @Sendable (ServerRequest, Next) -> ServerResponse

  let tenant: LocalTenant
  let key: JWK
  private let fault: Mutexed

  private final class Mutexed: Sendable {
    let value = Mutex<Fault?>(nil)
  }

  init(_ profile: TenantProfile? = nil) throws {
    let key = try JWK.generateRSA(bits: 2048, keyID: "conform")
    var members = key.json.object ?? [:]
    members["alg"] = "RS256"
    members["use"] = "sig"
    let signing = try JWK(.object(members))
    self.key = signing
    let fault = Mutexed()
    self.fault = fault
    var configuration = TenantConfiguration(signingKey: signing)
    configuration.profile = profile
    configuration.between = { request, next in
      guard let fault = fault.value.withLock({ $0 }) else { return next(request) }
      return fault(request, next)
    }
    tenant = try LocalTenant(configuration)
  }

  deinit { tenant.stop() }

  private var authority: String { tenant.settings["authority"]?.string ?? tenant.url }

  /// The options of a run with clients that are registered for it.
  @HostActor func options() async throws -> ProviderUnderTest.Options {
    var options = ProviderUnderTest.Options(metadataURL: "\(authority)/v2.0/.well-known/openid-configuration")
    let registration = ClientRegistration(
      at: "\(authority)/oauth2/v2.0/register", scope: "openid offline_access https://contoso.onmicrosoft.com/tasks/read",
      options.http)
    let hasKeysOnly = tenant.profile == .fapi2
    options.keyClient = try await registration.client(.keyJWT)
    options.client = hasKeysOnly ? options.keyClient : try await registration.client(.none)
    options.otherClient = try await registration.client(hasKeysOnly ? .keyJWT : .post)
    options.provesKeys = hasKeysOnly
    options.user = LocalTenant.seededUsers.first.map { ProviderUser(name: $0.username, password: Secret($0.password)) }
    options.isActive = true
    options.mayLock = true
    return options
  }

  /// The verdicts of the checks with this fault.
  @HostActor func verdicts(
    _ options: ProviderUnderTest.Options, _ checks: [ProviderCheck], _ fault: Fault? = nil
  ) async throws -> [Verdict] {
    self.fault.value.withLock { $0 = fault }
    defer { self.fault.value.withLock { $0 = nil } }
    let run = try await ProviderRun(options)
    let problem = try await run.signIn()
    let verdicts = try await run.run(checks) { _, _ in }
    if let problem, checks.contains(where: { $0.check.danger != .passive }) {
      throw ConformError(.noClient, "the right sign-in does not work: \(problem)")
    }
    return verdicts
  }

  /// A JWT of the tenant.
  func sign(_ claims: [String: JSON], _ header: [String: JSON] = [:]) -> String {
    let usual: [String: JSON] = ["alg": "RS256", "typ": "JWT", "kid": "conform"]
    let payload = Array(JSON.object(claims).encoded().utf8)
    return (try? JWS.sign(payload, header: .object(usual.merging(header) { $1 }), key: key)) ?? ""
  }
}

extension ServerRequest {
  func isTo(_ endpoint: String) -> Bool { path.hasSuffix("/\(endpoint)") }
  /// A parameter of the query or of the form.
  func parameter(_ name: String) -> String? { (query + form).first { $0.0 == name }?.1 }
  var names: [String] { (query + form).map(\.0) }
}

extension ServerResponse {
  var json: [String: JSON]? { (try? JSON(parsing: body))?.object }
  subscript(_ header: String) -> String? {
    get { headers.first { $0.0.lowercased() == header.lowercased() }?.1 }
    set {
      headers.removeAll { $0.0.lowercased() == header.lowercased() }
      if let newValue { headers.append((header, newValue)) }
    }
  }

  /// The same response with changed members.
  func with(_ change: (inout [String: JSON]) -> Void) -> ServerResponse {
    guard var members = json else { return self }
    change(&members)
    var response = self
    response.body = Array(JSON.object(members).encoded().utf8)
    return response
  }

  static func json(_ status: Int, _ members: [String: JSON]) -> ServerResponse {
    ServerResponse(status: status, text: JSON.object(members).encoded(), type: "application/json")
  }

  static func redirect(to url: String) -> ServerResponse { ServerResponse(status: 302, headers: [("Location", url)]) }
}
