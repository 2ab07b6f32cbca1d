import JOSE
import JSON
import SQLite

extension GrantStore {
  struct RefreshToken {
    let hash: String
    let grant: Grant
    let family: String
    let issued: Int
    let expires: Int
    /// True if the token was used or revoked.
    let isUsed: Bool
  }

  func makeRefreshToken(_ grant: Grant, family: String) throws -> String {
    let token = SecureRandom.token(64)
    try database.execute(
      """
      INSERT INTO refresh_tokens (hash, family, client, user_id, policy, scope, auth_time, issued, expires, sid, acr)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(Self.hash(token)), .text(family), .text(grant.clientID), .text(grant.userID), .text(grant.policy),
      .text(grant.scope), .integer(Int64(grant.event.authTime)), .integer(Int64(clock.elapsed)),
      .integer(Int64(clock.elapsed + behavior.refreshTokenLifetime)),
      grant.event.sid.map(SQLiteValue.text) ?? .null, grant.event.acr.map(SQLiteValue.text) ?? .null)
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
            authTime: Int(row["auth_time"].integer ?? 0), sid: row["sid"].text, acr: row["acr"].text),
          nonce: nil),
        family: row["family"].text ?? "", issued: Int(row["issued"].integer ?? 0),
        expires: Int(row["expires"].integer ?? 0), isUsed: row["is_used"].integer == 1)
    }
  }

  /// Issues the next token in place of this one and marks this one as used. Returns nil if refresh tokens do not
  /// rotate: the client keeps its token (RFC 6749 §6).
  func rotate(_ token: RefreshToken) throws -> String? {
    guard behavior.rotatesRefreshTokens else { return nil }
    return try database.transaction {
      try database.execute("UPDATE refresh_tokens SET is_used = 1 WHERE hash = ?", .text(token.hash))
      return try makeRefreshToken(token.grant, family: token.family)
    }
  }
}
