import JSON
import SQL

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

  /// A column does not hold what this program writes there.
  struct Malformed: Error {}

  init(_ row: Row) throws(Malformed) {
    func value<Value>(_ value: Value?) throws(Malformed) -> Value {
      guard let value else { throw Malformed() }
      return value
    }
    func text(_ column: String) throws(Malformed) -> String { try value(row[column].text) }
    func integer(_ column: String) throws(Malformed) -> Int64 { try value(row[column].integer) }
    func words(_ column: String) throws(Malformed) -> [String] {
      try text(column).split(separator: " ").map(String.init)
    }
    func json(_ column: String) throws(Malformed) -> JSON { try value(try? JSON(parsing: text(column))) }
    number = try integer("number")
    id = try text("id")
    identity = AccountIdentity(
      issuer: try text("issuer"), subject: try text("subject"), accountType: try text("account_type"),
      policy: row["policy"].text)
    name = try text("name")
    claims = try json("claims")
    scopes = try words("scopes")
    requestedScopes = try words("requested_scopes")
    provider = try json("provider")
    grantType = try text("grant_type")
    agent = row["agent"].text
    session = row["session"].text
    refreshFlow = row["refresh_flow"].text
    isProven = try integer("given_subject") == 0
    obtainedAt = try integer("obtained_at")
    expiresAt = row["expires_at"].integer
    retryAfter = try integer("retry_after")
    unfinishedRenewals = try integer("unfinished_renewals")
    data = try json("data")
    tokenRevision = try integer("token_revision")
    dataRevision = try integer("data_revision")
    sealedTokens = try text("tokens")
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
