import JSON
import SQLite

/// An account as the table `account` holds it.
struct AccountRow: Sendable {
  /// Where its refresh lock is in the lock file; never 0.
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
  let obtainedAt: Int64
  let expiresAt: Int64?
  let retryAfter: Int64
  let unfinishedRenewals: Int64
  let data: JSON
  let tokenRevision: Int64
  let dataRevision: Int64
  let sealedTokens: String

  static let columns = """
    number, id, issuer, subject, account_type, policy, name, claims, scopes, requested_scopes, provider, \
    grant_type, agent, session, obtained_at, expires_at, retry_after, unfinished_renewals, data, token_revision, data_revision, tokens
    """

  /// Nil when a column does not hold what this program writes there.
  init?(_ row: Row) {
    guard let number = row["number"].integer, let id = row["id"].text, let issuer = row["issuer"].text,
      let subject = row["subject"].text, let accountType = row["account_type"].text, let name = row["name"].text,
      let claims = Self.json(row["claims"]), let scopes = row["scopes"].text,
      let requestedScopes = row["requested_scopes"].text, let obtainedAt = row["obtained_at"].integer,
      let provider = Self.json(row["provider"]), let grantType = row["grant_type"].text,
      let retryAfter = row["retry_after"].integer, let unfinishedRenewals = row["unfinished_renewals"].integer,
      let data = Self.json(row["data"]),
      let tokenRevision = row["token_revision"].integer, let dataRevision = row["data_revision"].integer,
      let sealedTokens = row["tokens"].text
    else { return nil }
    self.number = number
    self.id = id
    identity = AccountIdentity(
      issuer: issuer, subject: subject, accountType: accountType, policy: row["policy"].text)
    self.name = name
    self.claims = claims
    self.scopes = scopes.split(separator: " ").map(String.init)
    self.requestedScopes = requestedScopes.split(separator: " ").map(String.init)
    self.provider = provider
    self.grantType = grantType
    agent = row["agent"].text
    session = row["session"].text
    self.obtainedAt = obtainedAt
    expiresAt = row["expires_at"].integer
    self.retryAfter = retryAfter
    self.unfinishedRenewals = unfinishedRenewals
    self.data = data
    self.tokenRevision = tokenRevision
    self.dataRevision = dataRevision
    self.sealedTokens = sealedTokens
  }

  private static func json(_ value: SQLiteValue) -> JSON? {
    value.text.flatMap { try? JSON(parsing: $0) }
  }
}
