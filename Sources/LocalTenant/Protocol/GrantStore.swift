import Crypto
import Databases
import JSON

/// Grants: authorization codes in memory and refresh tokens in the database. Both are stored as hashes.
final class GrantStore {
  struct Grant {
    let clientID: String
    let userID: String
    /// The canonical name of the policy.
    let policy: String
    let scope: String
    let event: SignInEvent
    var nonce: String?
    /// The thumbprint of the key that the grant is bound to.
    var proofThumbprint: String?
    /// The thumbprint of the certificate that the grant is bound to.
    var certificateThumbprint: String?
    /// The resources that the request named (RFC 8707).
    var resources: [String] = []
    /// The authorization details (RFC 9396), as JSON text.
    var details: String?
  }

  struct Code: Expiring {
    let grant: Grant
    let redirectURI: String
    let challenge: CodeChallenge?
    let expires: Int
    /// The family: all tokens of one authorization.
    let family: String
    var isUsed = false
  }

  struct RefreshToken {
    let hash: String
    let grant: Grant
    let family: String
    let issued: Int
    let expires: Int
    /// True if the token was used or revoked.
    let isUsed: Bool
  }

  var codeLifetime: Int { behavior.codeLifetime }

  private let database: SQLiteConnection
  private let clock: TenantClock
  private let behavior: TenantBehavior
  /// The codes by their hashes. Used codes stay too, to detect their replay.
  private let codes: ExpiringStore<Code>
  private var revoked = RevokedFamilies()

  init(_ database: SQLiteConnection, _ clock: TenantClock, _ behavior: TenantBehavior) {
    self.database = database
    self.clock = clock
    self.behavior = behavior
    codes = ExpiringStore(clock)
  }

  static func hash(_ text: String) -> String { Base64URL.encode(SHA256.hash(text.utf8)) }

  // MARK: Authorization codes

  func makeCode(_ grant: Grant, family: String, redirectURI: String, challenge: CodeChallenge?) -> String {
    let code = SecureRandom.token(48)
    codes.add(
      Code(
        grant: grant, redirectURI: redirectURI, challenge: challenge, expires: clock.elapsed + codeLifetime,
        family: family), as: Self.hash(code))
    return code
  }

  func code(_ text: String) -> Code? { codes[Self.hash(text)] }

  func markUsed(code text: String) { codes[Self.hash(text)]?.isUsed = true }

  // MARK: Refresh tokens

  func makeRefreshToken(_ grant: Grant, family: String) throws -> String {
    let token = SecureRandom.token(64)
    try database.execute(
      """
      INSERT INTO refresh_tokens (hash, family, client, user_id, policy, scope, auth_time, issued, expires, sid, acr, jkt,
        x5t, resources, details, signed_in)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(Self.hash(token)), .text(family), .text(grant.clientID), .text(grant.userID), .text(grant.policy),
      .text(grant.scope), .integer(Int64(grant.event.authTime)), .integer(Int64(clock.elapsed)),
      .integer(Int64(clock.elapsed + behavior.refreshTokenLifetime)),
      grant.event.sid.map(SQLValue.text) ?? .null, grant.event.acr.map(SQLValue.text) ?? .null,
      grant.proofThumbprint.map(SQLValue.text) ?? .null,
      grant.certificateThumbprint.map(SQLValue.text) ?? .null,
      .text(grant.resources.joined(separator: " ")),
      grant.details.map(SQLValue.text) ?? .null,
      grant.event.opened.map { .integer(Int64($0)) } ?? .null)
    return token
  }

  func refreshToken(_ text: String) throws -> RefreshToken? {
    let hash = Self.hash(text)
    return try database.first("SELECT * FROM refresh_tokens WHERE hash = ?", .text(hash)).map { row in
      RefreshToken(
        hash: hash,
        grant: Grant(
          clientID: row["client"].text ?? "", userID: row["user_id"].text ?? "", policy: row["policy"].text ?? "",
          scope: row["scope"].text ?? "",
          event: SignInEvent(
            authTime: Int(row["auth_time"].integer ?? 0), sid: row["sid"].text, acr: row["acr"].text,
            opened: row["signed_in"].integer.map { Int($0) }),
          proofThumbprint: row["jkt"].text, certificateThumbprint: row["x5t"].text,
          resources: (row["resources"].text ?? "").split(separator: " ").map(String.init),
          details: row["details"].text),
        family: row["family"].text ?? "", issued: Int(row["issued"].integer ?? 0),
        expires: Int(row["expires"].integer ?? 0), isUsed: row["is_used"].integer == 1)
    }
  }

  /// Returns nil if refresh tokens do not rotate: the client keeps its token (RFC 6749 §6).
  func rotate(_ token: RefreshToken) throws -> String? {
    guard behavior.rotatesRefreshTokens else { return nil }
    return try database.transaction {
      try database.execute("UPDATE refresh_tokens SET is_used = 1 WHERE hash = ?", .text(token.hash))
      return try makeRefreshToken(token.grant, family: token.family)
    }
  }

  // MARK: Revocation

  /// Revokes all tokens of the family, because a token was used twice or its client revoked it.
  func revoke(family: String) throws {
    revoked.add(family)
    try database.execute("UPDATE refresh_tokens SET is_used = 1 WHERE family = ?", .text(family))
  }

  func isRevoked(family: String) -> Bool { revoked.contains(family) }
}

/// The most recently revoked families. Access tokens expire soon, so the oldest families can be dropped.
private struct RevokedFamilies {
  private static let capacity = 10_000
  private var names: Set<String> = []
  private var order: [String] = []

  func contains(_ name: String) -> Bool { names.contains(name) }

  mutating func add(_ name: String) {
    guard names.insert(name).inserted else { return }
    order.append(name)
    if order.count >= 2 * Self.capacity {
      names.subtract(order.prefix(Self.capacity))
      order.removeFirst(Self.capacity)
    }
  }
}
