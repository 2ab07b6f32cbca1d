import Core
import JOSE
import JSON

/// An account's tokens, as they are sealed into the store.
struct TokenSet: Sendable, Equatable {
  var accessToken: Secret?
  var refreshToken: Secret?
  var idToken: Secret?
  var tokenType = "Bearer"
  /// The confidential client's, without which the refresh token is of no use.
  var clientSecret: Secret?

  init(_ grant: TokenGrant, clientSecret: Secret?) {
    accessToken = grant.accessToken
    refreshToken = grant.refreshToken
    idToken = grant.idToken
    tokenType = grant.tokenType
    self.clientSecret = clientSecret
  }

  /// After a renewal: what it did not bring stays as it was.
  init(_ grant: TokenGrant, renewing old: TokenSet) {
    self.init(grant, clientSecret: old.clientSecret)
    refreshToken = refreshToken ?? old.refreshToken
    idToken = idToken ?? old.idToken
  }

  /// Sealed tokens name their account, so that a row's tokens cannot be moved to another row.
  func sealed(for accountID: String, with key: JWK) throws(JOSEError) -> String {
    var members: [String: JSON] = ["account": .string(accountID), "token_type": .string(tokenType)]
    members["access_token"] = accessToken.map { .string($0.reveal()) }
    members["refresh_token"] = refreshToken.map { .string($0.reveal()) }
    members["id_token"] = idToken.map { .string($0.reveal()) }
    members["client_secret"] = clientSecret.map { .string($0.reveal()) }
    return try JWE.seal(Array(JSON.object(members).encoded().utf8), key: key)
  }

  /// Nil when the text was not sealed for that account or not with that key.
  init?(opening sealed: String, for accountID: String, with key: JWK) {
    guard let bytes = try? JWE.open(sealed, key: key), let json = try? JSON(parsing: bytes),
      json["account"]?.string == accountID
    else { return nil }
    accessToken = json["access_token"]?.string.map { Secret($0) }
    refreshToken = json["refresh_token"]?.string.map { Secret($0) }
    idToken = json["id_token"]?.string.map { Secret($0) }
    clientSecret = json["client_secret"]?.string.map { Secret($0) }
    tokenType = json["token_type"]?.string ?? "Bearer"
  }
}
