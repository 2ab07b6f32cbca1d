package import Secrets

/// The tokens that a sign-in flow or a refresh brought (RFC 6749, 5.1).
package struct TokenGrant: Sendable {
  package var accessToken: Secret?
  /// Nil in the answer to a refresh means: go on with the old one (RFC 6749, 6).
  package var refreshToken: Secret?
  package var idToken: Secret?
  package var tokenType: String
  /// Seconds from now; nil when the provider does not say.
  package var expiresIn: Int64?
  /// Nil means: those asked for (RFC 6749, 5.1).
  package var scopes: [String]?

  package init(
    accessToken: Secret?, refreshToken: Secret? = nil, idToken: Secret? = nil, tokenType: String = "Bearer",
    expiresIn: Int64? = nil, scopes: [String]? = nil
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.idToken = idToken
    self.tokenType = tokenType
    self.expiresIn = expiresIn
    self.scopes = scopes
  }
}
