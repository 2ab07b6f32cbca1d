import Core
import JOSE
import JSON
import OAuth

extension TokenSet {
  /// The tokens, encrypted for the store. They name their account and its facts, so that they are of no use in the row of
  /// another account, or in one that somebody has changed.
  func sealed(for accountID: String, _ facts: AccountFacts, with key: JWK) throws(JOSEError) -> String {
    var members: [String: JSON] = [
      "account": .string(accountID), "facts": facts.json, "token_type": .string(tokenType),
    ]
    members["access_token"] = accessToken.map { .string($0.reveal()) }
    members["refresh_token"] = refreshToken.map { .string($0.reveal()) }
    members["id_token"] = idToken.map { .string($0.reveal()) }
    members["client_secret"] = clientSecret.map { .string($0.reveal()) }
    members["binding"] = binding.json
    return try JWE.seal(Array(JSON.object(members).encoded().utf8), key: key)
  }
}

/// Tokens out of their seal, and the facts that they were sealed with.
struct OpenedTokens {
  let tokens: TokenSet
  /// Nil for tokens that a version before 0.1 sealed.
  let facts: AccountFacts?

  /// Opens sealed tokens; nil when they were sealed for another account or with another key.
  init?(_ sealed: String, of accountID: String, with key: JWK) {
    guard let bytes = try? JWE.open(sealed, key: key), let json = try? JSON(parsing: bytes),
      json["account"]?.string == accountID, let binding = try? TokenBinding(json["binding"])
    else { return nil }
    func secret(_ name: String) -> Secret? { json[name]?.string.map { Secret($0) } }
    var tokens = TokenSet(
      accessToken: secret("access_token"), refreshToken: secret("refresh_token"), idToken: secret("id_token"),
      tokenType: json["token_type"]?.string ?? "Bearer", clientSecret: secret("client_secret"))
    tokens.binding = binding
    self.tokens = tokens
    facts = json["facts"].map { AccountFacts($0) }
  }
}

/// Tokens that a renewal brought at a time (Unix seconds), to be stored in place of those of a revision.
struct RenewedTokens: Sendable {
  let tokens: TokenSet
  let obtainedAt: Int64
  let revision: Int64

  var expiresAt: Int64? { tokens.expiresIn.map { obtainedAt + $0 } }
}
