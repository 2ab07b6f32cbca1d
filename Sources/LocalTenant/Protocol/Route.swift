import HTTPServer
import TenantTexts

enum Route {
  /// The status page at the root.
  case status
  /// The path segments after `/api/tasks`.
  case tasks([String])
  case policy(PolicyEndpoint, PolicyAddress)
  /// Native authentication of External ID.
  case native(NativeStep, PolicyAddress)
  /// The answer to a backchannel request, from the status page.
  case backchannelAnswer
  case unknown(UnknownAddress)

  init(_ request: ServerRequest, origin: String, _ kind: TenantKind) {
    let parts = request.path.split(separator: "/")
    if parts.isEmpty {
      self = .status
    } else if parts == [Substring(StatusPage.answerPath)] {
      self = .backchannelAnswer
    } else if parts.count >= 2, parts[0] == "api", parts[1] == "tasks", parts.count <= 4 {
      self = .tasks(parts.dropFirst(2).map(String.init))
    } else if kind == .externalID {
      self = Self.external(parts, request, origin)
    } else {
      self = Self.policy(parts, request, origin)
    }
  }

  private static func policy(_ parts: [Substring], _ request: ServerRequest, _ origin: String) -> Route {
    var rest = parts[...]
    let isTFP = rest.first == "tfp"
    if isTFP { rest.removeFirst() }
    guard let tenant = rest.popFirst() else { return .unknown(.endpoint) }
    guard Contoso.isTenant(tenant) else { return .unknown(.tenant(String(tenant))) }
    var form: PolicyAddress.Form = isTFP ? .tfp : .path
    var name: String?
    var endpoint = PolicyEndpoint(rawValue: rest.joined(separator: "/"))
    // The endpoint is the rest of the path after the policy, or after the tenant if the policy is in the query.
    if endpoint != nil {
      form = .query
      name = request.query.last { $0.0 == "p" }?.1
    } else {
      name = rest.popFirst().map(String.init)
      endpoint = PolicyEndpoint(rawValue: rest.joined(separator: "/"))
    }
    guard let endpoint else { return .unknown(.endpoint) }
    guard let name, !name.isEmpty else { return .unknown(.noPolicy) }
    guard let policy = Contoso.policy(name) else { return .unknown(.policy(name)) }
    return .policy(
      endpoint,
      PolicyAddress(origin: origin, form: form, tenant: String(tenant), policyName: name, policy: policy))
  }

  /// An address of External ID, which has no policy.
  private static func external(_ parts: [Substring], _ request: ServerRequest, _ origin: String) -> Route {
    let tenant = String(parts.first ?? "")
    guard Contoso.isTenant(tenant) else { return .unknown(.tenant(tenant)) }
    let rest = parts.dropFirst().joined(separator: "/")
    let address = PolicyAddress(
      origin: origin, form: .tenant, tenant: tenant, policyName: "", policy: Contoso.userFlow)
    if let step = NativeStep(rawValue: rest), step != .token || NativeStep.isNative(request) {
      return .native(step, address)
    }
    if let endpoint = PolicyEndpoint(rawValue: rest) { return .policy(endpoint, address) }
    if parts.count > 2, Contoso.policy(parts[1]) != nil { return .unknown(.policyOfExternalID(String(parts[1]))) }
    return .unknown(.endpoint)
  }
}

enum PolicyEndpoint: String {
  case authorize = "oauth2/v2.0/authorize"
  case token = "oauth2/v2.0/token"
  case logout = "oauth2/v2.0/logout"
  /// The metadata document (OpenID Connect Discovery §4).
  case metadata = "v2.0/.well-known/openid-configuration"
  case keys = "discovery/v2.0/keys"
  case deviceCode = "oauth2/v2.0/devicecode"
  case revoke = "oauth2/v2.0/revoke"
  /// The endpoint for pushed authorization requests (RFC 9126).
  case par = "oauth2/v2.0/par"
  case register = "oauth2/v2.0/register"
  case introspection = "oauth2/v2.0/introspection"
  /// The userinfo endpoint, where B2C has it for custom policies.
  case userinfo = "openid/v2.0/userinfo"
  /// Backchannel authentication (CIBA).
  case backchannel = "oauth2/v2.0/bc-authorize"
  case login
  case signUp = "signup"
  case reset, edit, consent
  case verify
  /// The page where a user enters a device's code.
  case device
}

/// The address of a policy as the client wrote it, also in all returned endpoints, for clients that compare strings.
struct PolicyAddress: Sendable {
  enum Form: Sendable {
    /// `/{tenant}/{policy}/…`
    case path
    /// `/tfp/{tenant}/{policy}/…`
    case tfp
    /// `/{tenant}/…?p={policy}`
    case query
    /// `/{tenant}/…`, the addresses of External ID
    case tenant
  }

  let origin: String
  let form: Form
  /// The domain or the GUID of the tenant.
  let tenant: String
  /// The name in the letter case of the request.
  let policyName: String
  let policy: Policy

  var policyID: String { policy.name }
  var device: String { origin + page(.device) }

  func url(_ endpoint: PolicyEndpoint) -> String {
    form == .query
      ? "\(origin)/\(tenant)/\(endpoint.rawValue)?p=\(policyName)" : "\(origin)\(base)/\(endpoint.rawValue)"
  }

  func page(_ page: PolicyEndpoint) -> String { "\(base)/\(page.rawValue)" }

  /// Addresses with `?p=` use the issuer of the path form, because an issuer has no query.
  func issuer(_ form: TenantConfiguration.IssuerForm) -> String {
    switch form {
    case .metadata: "\(origin)\(base)/v2.0"
    case .guid: "\(origin)/\(Contoso.id)/v2.0\(isExternalID ? "" : "/")"
    }
  }

  var isExternalID: Bool { form == .tenant }

  private var base: String {
    isExternalID ? "/\(tenant)" : "\(form == .tfp ? "/tfp" : "")/\(tenant)/\(policyName)"
  }
}

enum UnknownAddress {
  case endpoint
  case tenant(String)
  /// No policy is in the path or in `?p=`.
  case noPolicy
  case policy(String)
  /// The tenant is of the kind External ID.
  case policyOfExternalID(String)

  private static let policies = Contoso.policies.map(\.name).joined(separator: ", ")

  var message: String {
    switch self {
    case .endpoint: "there is no such endpoint"
    case .tenant(let name): "there is no tenant \(name) here, only \(Contoso.domain)"
    case .noPolicy: "the request names no policy: neither in the path nor as ?p=; its policies are \(Self.policies)"
    case .policy(let name): "there is no policy \(name) in \(Contoso.domain); its policies are \(Self.policies)"
    case .policyOfExternalID(let name): "there is no policy \(name): Entra External ID has no policies"
    }
  }

  /// The message for a user who may have mistyped the address.
  func text(_ texts: Texts) -> String {
    switch self {
    case .endpoint: texts.unknownAddress
    case .tenant(let name): "\(texts.fill(\.unknownTenant, name)) \(texts.fill(\.onlyTenant, Contoso.domain))"
    case .noPolicy: "\(texts.missingPolicy) \(texts.fill(\.knownPolicies, Self.policies))"
    case .policyOfExternalID(let name): texts.fill(\.unknownPolicy, name)
    case .policy(let name): "\(texts.fill(\.unknownPolicy, name)) \(texts.fill(\.knownPolicies, Self.policies))"
    }
  }
}
