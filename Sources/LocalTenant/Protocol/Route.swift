import HTTPServer

/// The endpoint that a request addresses.
enum Route {
  /// The status page at the root.
  case status
  /// The path segments after `/api/tasks`.
  case tasks([String])
  case policy(PolicyEndpoint, PolicyAddress)
  case unknown(UnknownAddress)

  enum PolicyEndpoint: String {
    case authorize = "oauth2/v2.0/authorize"
    case token = "oauth2/v2.0/token"
    case logout = "oauth2/v2.0/logout"
    case metadata = "v2.0/.well-known/openid-configuration"
    case keys = "discovery/v2.0/keys"
    case deviceCode = "oauth2/v2.0/devicecode"
    case revoke = "oauth2/v2.0/revoke"
    case login
    case signUp = "signup"
    case reset, edit, consent
    /// The page for the second factor.
    case verify
    /// The page where a user enters a device's code.
    case device
  }

  init(_ request: ServerRequest, origin: String) {
    let parts = request.path.split(separator: "/")
    if parts.isEmpty {
      self = .status
    } else if parts.count >= 2, parts[0] == "api", parts[1] == "tasks", parts.count <= 4 {
      self = .tasks(parts.dropFirst(2).map(String.init))
    } else {
      self = Self.policy(parts, request, origin)
    }
  }

  private static func policy(_ parts: [Substring], _ request: ServerRequest, _ origin: String) -> Route {
    var rest = parts[...]
    let isTFP = rest.first == "tfp"
    if isTFP { rest.removeFirst() }
    guard let tenant = rest.popFirst() else { return .unknown(.endpoint) }
    guard Contoso.isTenant(tenant) else {
      return .unknown(.tenant(String(tenant)))
    }
    // The endpoint is the rest of the path after the policy, or after the tenant if the policy is in the query.
    if let endpoint = PolicyEndpoint(rawValue: rest.joined(separator: "/")) {
      guard let policy = request.query.last(where: { $0.0 == "p" })?.1, !policy.isEmpty else {
        return .unknown(.noPolicy)
      }
      return route(endpoint, origin, .query, tenant, policy)
    }
    guard let policy = rest.popFirst(), let endpoint = PolicyEndpoint(rawValue: rest.joined(separator: "/")) else {
      return .unknown(.endpoint)
    }
    return route(endpoint, origin, isTFP ? .tfp : .path, tenant, String(policy))
  }

  private static func route(
    _ endpoint: PolicyEndpoint, _ origin: String, _ form: PolicyAddress.Form, _ tenant: Substring, _ name: String
  ) -> Route {
    guard let policy = Contoso.policy(name) else {
      return .unknown(.policy(name))
    }
    return .policy(
      endpoint,
      PolicyAddress(origin: origin, form: form, tenant: String(tenant), policyName: name, policy: policy))
  }
}
