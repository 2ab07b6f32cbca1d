/// The address of a policy as a client wrote it. All that the tenant says of its endpoints repeats that spelling, so that a
/// client which compares strings finds its own.
struct PolicyAddress: Hashable, Sendable {
  enum Form: Hashable, Sendable {
    /// `/{tenant}/{policy}/…`
    case path
    /// `/tfp/{tenant}/{policy}/…`
    case tfp
    /// `/{tenant}/…?p={policy}`
    case query
  }

  /// Scheme, host and port the client used to come here.
  let origin: String
  let form: Form
  /// The domain or the GUID.
  let tenant: String
  /// In the letter case of the request.
  let policyName: String
  let policy: Policy

  /// What is behind the policy in the address of the metadata document (OpenID Connect Discovery §4).
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
  /// Where a user enters the code that a device shows.
  var device: String { origin + page("device") }
  /// Where the pages of the sign-in are; a path.
  func page(_ name: String) -> String { "\(base)/\(name)" }

  /// The old form has no path with the policy in it, and an issuer has no query: it shares the new form's.
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
