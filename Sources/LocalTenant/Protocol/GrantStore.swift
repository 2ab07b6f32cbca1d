import JOSE
import SQLite

/// What was granted: authorization codes in memory, refresh tokens in the database. Both are kept as hashes.
final class GrantStore {
  struct Grant {
    let clientID: String
    let userID: String
    /// Canonical.
    let policy: String
    let scope: String
    let authTime: Int
    let nonce: String?
  }

  struct Code {
    let grant: Grant
    let redirectURI: String
    let challenge: CodeChallenge?
    let expires: Int
    /// The refresh tokens that came of it.
    let family: String
    var isUsed = false
  }

  struct RefreshToken {
    let hash: String
    let grant: Grant
    let family: String
    let issued: Int
    let expires: Int
    let isUsed: Bool
  }

  static let codeLifetime = 600
  static let refreshTokenLifetime = 14 * 86_400

  private let database: Connection
  private let clock: TenantClock
  private var codes: [String: Code] = [:]

  init(_ database: Connection, _ clock: TenantClock) {
    self.database = database
    self.clock = clock
  }

  func makeCode(_ grant: Grant, redirectURI: String, challenge: CodeChallenge?) -> String {
    // Used and expired ones stay for a while, so that their replay is seen.
    if codes.count >= 10_000 { codes = codes.filter { $0.value.expires > clock.elapsed } }
    if codes.count >= 10_000 { codes = [:] }
    let code = SecureRandom.token(48)
    codes[Self.hash(code)] = Code(
      grant: grant, redirectURI: redirectURI, challenge: challenge, expires: clock.elapsed + Self.codeLifetime,
      family: GUID.random())
    return code
  }

  func code(_ text: String) -> Code? { codes[Self.hash(text)] }

  func markUsed(code text: String) { codes[Self.hash(text)]?.isUsed = true }

  func makeRefreshToken(_ grant: Grant, family: String) throws -> String {
    let token = SecureRandom.token(64)
    try database.execute(
      """
      INSERT INTO refresh_tokens (hash, family, client, user_id, policy, scope, auth_time, issued, expires)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(Self.hash(token)), .text(family), .text(grant.clientID), .text(grant.userID), .text(grant.policy),
      .text(grant.scope), .integer(Int64(grant.authTime)), .integer(Int64(clock.elapsed)),
      .integer(Int64(clock.elapsed + Self.refreshTokenLifetime)))
    return token
  }

  func refreshToken(_ text: String) throws -> RefreshToken? {
    let hash = Self.hash(text)
    return try database.first("SELECT * FROM refresh_tokens WHERE hash = ?", .text(hash)).map { row in
      RefreshToken(
        hash: hash,
        grant: Grant(
          clientID: row["client"].text ?? "", userID: row["user_id"].text ?? "", policy: row["policy"].text ?? "",
          scope: row["scope"].text ?? "", authTime: Int(row["auth_time"].integer ?? 0), nonce: nil),
        family: row["family"].text ?? "", issued: Int(row["issued"].integer ?? 0),
        expires: Int(row["expires"].integer ?? 0), isUsed: row["is_used"].integer == 1)
    }
  }

  /// The next token in place of this one, which stays known as used.
  func rotate(_ token: RefreshToken) throws -> String {
    try database.transaction {
      try database.execute("UPDATE refresh_tokens SET is_used = 1 WHERE hash = ?", .text(token.hash))
      return try makeRefreshToken(token.grant, family: token.family)
    }
  }

  /// Makes all tokens of the family worthless: one of them was seen in two hands.
  func revoke(family: String) throws {
    try database.execute("UPDATE refresh_tokens SET is_used = 1 WHERE family = ?", .text(family))
  }

  private static func hash(_ text: String) -> String { Base64URL.encode(SHA256.hash(text.utf8)) }
}
