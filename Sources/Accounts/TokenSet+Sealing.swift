import Core
import JOSE
import JSON
import OAuth

extension TokenSet {
  /// The tokens, encrypted for the store. They name their account, so that they cannot be moved to the row of another one.
  func sealed(for accountID: String, with key: JWK) throws(JOSEError) -> String {
    var members: [String: JSON] = ["account": .string(accountID), "token_type": .string(tokenType)]
    members["access_token"] = accessToken.map { .string($0.reveal()) }
    members["refresh_token"] = refreshToken.map { .string($0.reveal()) }
    members["id_token"] = idToken.map { .string($0.reveal()) }
    members["client_secret"] = clientSecret.map { .string($0.reveal()) }
    members["binding"] = binding.json
    return try JWE.seal(Array(JSON.object(members).encoded().utf8), key: key)
  }

  /// Opens sealed tokens; nil when they were sealed for another account or with another key.
  init?(opening sealed: String, for accountID: String, with key: JWK) {
    guard let bytes = try? JWE.open(sealed, key: key), let json = try? JSON(parsing: bytes),
      json["account"]?.string == accountID, let binding = try? TokenBinding(json["binding"])
    else { return nil }
    func secret(_ name: String) -> Secret? { json[name]?.string.map { Secret($0) } }
    self.init(
      accessToken: secret("access_token"), refreshToken: secret("refresh_token"), idToken: secret("id_token"),
      tokenType: json["token_type"]?.string ?? "Bearer", clientSecret: secret("client_secret"))
    self.binding = binding
  }
}

/// Tokens that a renewal brought at a time (Unix seconds), to be stored in place of those of a revision.
struct RenewedTokens: Sendable {
  let tokens: TokenSet
  let obtainedAt: Int64
  let revision: Int64

  var expiresAt: Int64? { tokens.expiresIn.map { obtainedAt + $0 } }
}
