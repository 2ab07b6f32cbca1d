/// The address of a policy as the client wrote it. All endpoints that the tenant returns keep this spelling, so that
/// clients that compare strings find a match.
struct PolicyAddress: Hashable, Sendable {
  enum Form: Hashable, Sendable {
    /// `/{tenant}/{policy}/…`
    case path
    /// `/tfp/{tenant}/{policy}/…`
    case tfp
    /// `/{tenant}/…?p={policy}`
    case query
  }

  /// The scheme, host and port that the client used.
  let origin: String
  let form: Form
  /// The domain or the GUID of the tenant.
  let tenant: String
  /// The name in the letter case of the request.
  let policyName: String
  let policy: Policy

  /// The part of the metadata document's address after the policy (OpenID Connect Discovery §4).
  static let metadataPath = "v2.0/.well-known/openid-configuration"

  /// The canonical name of the policy.
  var policyID: String { policy.name }

  var metadata: String { url(Self.metadataPath) }
  var authorize: String { url("oauth2/v2.0/authorize") }
  var token: String { url("oauth2/v2.0/token") }
  var logout: String { url("oauth2/v2.0/logout") }
  var keys: String { url("discovery/v2.0/keys") }
  var deviceAuthorization: String { url("oauth2/v2.0/devicecode") }
  var revocation: String { url("oauth2/v2.0/revoke") }
  /// The address of the page where a user enters a device's code.
  var device: String { origin + page("device") }
  /// The path of a page of the sign-in.
  func page(_ name: String) -> String { "\(base)/\(name)" }

  /// Addresses with `?p=` have no path with the policy, and an issuer has no query, so they use the issuer of the path
  /// form.
  func issuer(_ form: TenantConfiguration.IssuerForm) -> String {
    switch form {
    case .metadata: "\(origin)\(base)/v2.0"
    case .guid: "\(origin)/\(Contoso.id)/v2.0/"
    }
  }

  private var base: String { form == .tfp ? "/tfp/\(tenant)/\(policyName)" : "/\(tenant)/\(policyName)" }

  private func url(_ tail: String) -> String {
    form == .query ? "\(origin)/\(tenant)/\(tail)?p=\(policyName)" : "\(origin)\(base)/\(tail)"
  }
}
