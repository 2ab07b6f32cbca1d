import Databases
import JSON

struct AccountRow: Sendable {
  /// The byte of its refresh lock in the lock file; never 0.
  let number: Int64
  let id: String
  let identity: AccountIdentity
  let name: String
  let claims: JSON
  let scopes: [String]
  let requestedScopes: [String]
  let provider: JSON
  let grantType: String
  let agent: String?
  let session: String?
  let refreshFlow: String?
  let isProven: Bool
  var obtainedAt: Int64
  var expiresAt: Int64?
  var retryAfter: Int64
  var unfinishedRenewals: Int64
  let data: JSON
  let tokenRevision: Int64
  var dataRevision: Int64
  var sealedTokens: String

  static let columns = """
    number, id, issuer, subject, account_type, policy, name, claims, scopes, requested_scopes, provider, \
    grant_type, agent, session, obtained_at, expires_at, retry_after, unfinished_renewals, data, token_revision, data_revision, tokens, \
    refresh_flow, given_subject
    """

  init(_ read: RowReader) throws(DamagedRow) {
    func words(_ column: String) throws(DamagedRow) -> [String] {
      try read.text(column).split(separator: " ").map(String.init)
    }
    // The highest byte of the lock file is the one for keys.
    number = try read.integer("number", in: 1...((1 << 62) - 1))
    id = try read.text("id")
    identity = AccountIdentity(
      issuer: try read.text("issuer"), subject: try read.text("subject"), accountType: try read.text("account_type"),
      policy: try read.optionalText("policy"))
    name = try read.text("name")
    claims = try read.json("claims")
    scopes = try words("scopes")
    requestedScopes = try words("requested_scopes")
    provider = try read.json("provider")
    grantType = try read.text("grant_type")
    agent = try read.optionalText("agent")
    session = try read.optionalText("session")
    refreshFlow = try read.optionalText("refresh_flow")
    isProven = try !read.flag("given_subject")
    obtainedAt = try read.time("obtained_at")
    expiresAt = try read.optionalTime("expires_at")
    retryAfter = try read.time("retry_after")
    unfinishedRenewals = try read.integer("unfinished_renewals", in: RowReader.counts)
    data = try read.json("data")
    tokenRevision = try read.integer("token_revision", in: RowReader.counts)
    dataRevision = try read.integer("data_revision", in: RowReader.counts)
    sealedTokens = try read.text("tokens")
  }
}

/// The identity of an account: two sign-ins with the same issuer, subject, account type and policy are one account. The
/// policy counts because Azure AD B2C refuses a refresh token at any policy but the one that issued it (AADB2C90088).
struct AccountIdentity: Hashable, Sendable {
  let issuer: String
  let subject: String
  let accountType: String
  /// In the letter case it was given.
  let policy: String?

  /// Policy names are compared without regard to letter case, as Azure AD B2C does.
  static func policyKey(_ policy: String?) -> String { policy?.lowercased() ?? "" }
}

/// The name an account is shown by: `name`, else the first of `emails`, else `preferred_username`, else `sub`.
func displayName(claims: JSON) -> String {
  let candidates = [claims["name"], claims["emails"]?.array?.first, claims["preferred_username"], claims["sub"]]
  return candidates.lazy.compactMap { $0?.string }.first { !$0.isEmpty } ?? ""
}
