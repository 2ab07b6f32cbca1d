package import Core

/// The tokens that a sign-in flow or a refresh brought (RFC 6749, 5.1).
package struct TokenGrant: Sendable {
  package var accessToken: Secret?
  /// Nil in the answer to a refresh means: go on with the old one (RFC 6749, 6).
  package var refreshToken: Secret?
  package var idToken: Secret?
  package var tokenType: String
  /// Seconds from now, not below zero and not above `longestLife`; nil when the provider does not say.
  package private(set) var expiresIn: Int64?
  /// Nil means: those asked for (RFC 6749, 5.1).
  package var scopes: [String]?
  /// How the tokens were asked for (RFC 6749, 1.3). With `client_credentials` they are renewed by asking again.
  package var grantType: String

  /// A thousand years: added to any date, what a provider says still gives a date.
  private static let longestLife: Int64 = 1000 * 31_557_600

  package init(
    accessToken: Secret?, refreshToken: Secret? = nil, idToken: Secret? = nil, tokenType: String = "Bearer",
    expiresIn: Int64? = nil, scopes: [String]? = nil, grantType: String = "authorization_code"
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.idToken = idToken
    self.tokenType = tokenType
    self.expiresIn = expiresIn.map { min(max($0, 0), Self.longestLife) }
    self.scopes = scopes
    self.grantType = grantType
  }
}
