package import Core
package import JSON

/// What the token endpoint gave (RFC 6749, 5.1).
package struct TokenResponse: Sendable {
  /// Nil when the provider gave only an ID token, as B2C does for the scope `openid` alone.
  package var accessToken: Secret?
  package var refreshToken: Secret?
  /// Not validated yet.
  package var idToken: String?
  /// `Bearer`
  package var tokenType: String
  /// When the access token expires, in seconds since 1970; nil when the provider did not say.
  package var expiresAt: Double?
  /// When the refresh token expires, in seconds since 1970; nil when the provider did not say.
  package var refreshExpiresAt: Double?
  /// Those granted, or those asked for where the provider did not say.
  package var scopes: [String]
  /// When the provider sent the answer by its own clock, in seconds since 1970; nil when it did not say.
  package var serverDate: Double?
  /// The rest of the answer: everything but the tokens themselves.
  package var raw: JSON

  /// In seconds, a thousand years: what a provider says still gives a date.
  private static let longestLife = 1000 * 31_557_600.0

  /// - Parameters:
  ///   - json: the answer of the token endpoint, or what a script's flow returned in its form.
  ///   - requestedScopes: what was asked for.
  ///   - receivedAt: seconds since 1970.
  package init(_ json: JSON, requestedScopes: [String], receivedAt: Double, defaultTokenType: String = "Bearer") {
    func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    func time(_ duration: String, _ instant: String?) -> Double? {
      let latest = receivedAt + Self.longestLife
      if let seconds = json[duration]?.lenientInteger { return min(receivedAt + Double(max(seconds, 0)), latest) }
      return instant.flatMap { json[$0]?.lenientInteger }.map { min(max(Double($0), 0), latest) }
    }
    accessToken = text("access_token").map { Secret($0) }
    refreshToken = text("refresh_token").map { Secret($0) }
    idToken = text("id_token")
    tokenType = text("token_type") ?? defaultTokenType
    let hasAccessToken = accessToken != nil
    expiresAt = hasAccessToken ? time("expires_in", "expires_on") : nil
    refreshExpiresAt = time("refresh_token_expires_in", nil)
    scopes = text("scope")?.split(separator: " ").map(String.init) ?? requestedScopes
    let tokens: Set<String> = ["access_token", "refresh_token", "id_token"]
    raw = .object((json.object ?? [:]).filter { !tokens.contains($0.key) })
  }

  /// The access token, or an error that says why there is none.
  package func requireAccessToken(clientID: String) throws(OAuthError) -> Secret {
    guard let accessToken else { throw Self.noAccessToken(scopes, clientID) }
    return accessToken
  }

  static func noAccessToken(_ scopes: [String], _ clientID: String) -> OAuthError {
    let asked = scopes.isEmpty ? "no scope was asked for" : "the scopes asked for were \(scopes.joined(separator: " "))"
    let plain: Set<String> = ["openid", "profile", "email", "offline_access"]
    let namesNoAPI = scopes.allSatisfy(plain.contains)
    return OAuthError(
      "missing_access_token", .token,
      "the provider gave no access token; \(asked)\(namesNoAPI ? ", which name no API" : "")",
      hint: namesNoAPI
        ? "add the client ID (\(clientID)) or an API's scope, such as https://TENANT.onmicrosoft.com/API/SCOPE, to scopes in the settings"
        : "check that the scopes are of one API and granted to the application",
      details: ["scopes": scopes.joined(separator: " ")])
  }
}
