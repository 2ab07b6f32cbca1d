import Core
package import HTTPServer
import JSON

/// The parts of the tenant that a program under test can see.
package enum TenantPart: String, Sendable, CaseIterable {
  case metadata, keys, authorize, pages, token, userinfo, api, device, par, register, other
  case introspection, revocation, logout
  /// The tenant as an MCP server, and the metadata that it has as a protected resource.
  case mcp, resource

  /// The part at a path.
  package init(_ path: String) {
    let ends: [(String, TenantPart)] = [
      ("/.well-known/openid-configuration", .metadata), ("/discovery/v2.0/keys", .keys),
      ("/oauth2/v2.0/authorize", .authorize), ("/oauth2/v2.0/token", .token), ("/openid/v2.0/userinfo", .userinfo),
      ("/oauth2/v2.0/devicecode", .device), ("/oauth2/v2.0/par", .par), ("/oauth2/v2.0/register", .register),
      ("/oauth2/v2.0/introspection", .introspection), ("/oauth2/v2.0/revoke", .revocation),
      ("/oauth2/v2.0/logout", .logout), ("/login", .pages), ("/consent", .pages), ("/verify", .pages),
      ("/signup", .pages), ("/device", .pages),
    ]
    if path.hasPrefix("/api/tasks") {
      self = .api
    } else if path == "/mcp" {
      self = .mcp
    } else if path.hasPrefix("/.well-known/oauth-protected-resource") {
      self = .resource
    } else if path.hasPrefix("/.well-known/oauth-authorization-server")
      || path.hasPrefix("/.well-known/openid-configuration/")
    {
      self = .metadata
    } else {
      self = ends.first { path.hasSuffix($0.0) }?.1 ?? .other
    }
  }

  /// The noun of a message.
  var name: String {
    switch self {
    case .metadata: "the metadata"
    case .keys: "the keys (JWKS)"
    case .authorize: "the authorization endpoint"
    case .pages: "the sign-in page"
    case .token: "the token endpoint"
    case .userinfo: "the userinfo endpoint"
    case .api: "the API"
    case .device: "the device authorization endpoint"
    case .par: "the endpoint for pushed requests"
    case .register: "the registration endpoint"
    case .introspection: "the introspection endpoint"
    case .revocation: "the revocation endpoint"
    case .logout: "the logout endpoint"
    case .mcp: "the MCP server"
    case .resource: "the metadata of the MCP server"
    case .other: "the tenant"
    }
  }
}

/// A request to the tenant and the response that it got.
package struct Exchange: Sendable {
  package let part: TenantPart
  package let request: ServerRequest
  package let response: ServerResponse
  /// True if the response has the lie of the run.
  package let isLie: Bool
  /// True if the request names the tenant by its other host name, `localhost`.
  package let isAtOtherHost: Bool
  /// Seconds of `HostLoop.uptime`.
  package let time: Double

  /// `POST …/token (grant_type=authorization_code) → 200`; values that may be secret are left out.
  package var line: String {
    let shown = ["grant_type", "response_type", "response_mode", "code_challenge_method", "scope", "prompt"]
    let fields = (request.form + request.query).filter { shown.contains($0.0) && !$0.1.isEmpty }
    let list = fields.isEmpty ? "" : " (\(fields.map { "\($0.0)=\($0.1)" }.joined(separator: ", ")))"
    return Redaction.forScripts("\(request.method) \(request.path)\(list) → \(response.status)")
  }

  /// The fields of the query and of the form.
  var fields: [(String, String)] { request.query + request.form }
  func field(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
  var grantType: String? { request.form.first { $0.0 == "grant_type" }?.1 }
  var json: [String: JSON]? { try? JSON(parsing: response.body, maximumDepth: 32).object }
}
