package import Core
package import JSON

/// The tokens of one grant: from the response of the token endpoint (RFC 6749, 5.1) to the account store.
package struct TokenSet: Sendable {
  /// Nil when the provider gave only an ID token, as B2C does for the scope `openid` alone.
  package var accessToken: Secret?
  /// Nil in the response to a refresh that leaves the old refresh token in use (RFC 6749, 6).
  package var refreshToken: Secret?
  /// Not validated yet.
  package var idToken: Secret?
  /// `Bearer`
  package var tokenType: String
  /// The lifetime of the access token in seconds, from 0 to a thousand years; nil when the provider did not say.
  package private(set) var expiresIn: Int64?
  /// The scopes that were granted, or those that were asked for when the provider did not say; nil when neither is known.
  package var scopes: [String]?
  /// How the tokens were asked for (RFC 6749, 1.3). With `client_credentials` they are renewed by asking again.
  package var grantType: String
  /// The secret of a confidential client, which a refresh needs.
  package var clientSecret: Secret?
  package var binding = TokenBinding()
  /// The points in which the provider did not do as it was asked.
  package internal(set) var warnings: [String] = []
  /// The subject that the script of the sign-in gave; nil if the provider says who signed in.
  package var givenSubject: String?
  /// The flow whose function `refresh` renews the tokens: its name, or `@` and the place of a function without a name. Nil
  /// if the token endpoint renews them.
  package var refreshFlow: String?
  /// False if only the script says who signed in.
  package var isProven: Bool { idToken != nil || givenSubject == nil }
  /// When the access token expires, in seconds since 1970; nil when the provider did not say.
  package private(set) var expiresAt: Double?
  /// The members of the response that are not tokens.
  package private(set) var others: JSON = [:]
  /// True if the response names the type of the access token.
  var isTyped: Bool { others["token_type"]?.string?.isEmpty == false }

  /// A thousand years: this lifetime, added to any date, still gives a date.
  private static let longestLife: Int64 = 1000 * 31_557_600

  package init(
    accessToken: Secret?, refreshToken: Secret? = nil, idToken: Secret? = nil, tokenType: String = "Bearer",
    expiresIn: Int64? = nil, scopes: [String]? = nil, grantType: String = "authorization_code",
    clientSecret: Secret? = nil
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.idToken = idToken
    self.tokenType = tokenType
    self.expiresIn = expiresIn.map { min(max($0, 0), Self.longestLife) }
    self.scopes = scopes
    self.grantType = grantType
    self.clientSecret = clientSecret
  }

  /// - Parameter receivedAt: this machine's time, in seconds since 1970.
  /// - Parameter serverDate: the same by the provider's clock; nil when the provider did not say.
  init(_ json: JSON, to request: TokenRequest, tokenType: String, receivedAt: Double, serverDate: Double?) {
    func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    let lifetime = json["expires_in"]?.lenientInteger
    let end = json["expires_on"]?.lenientInteger.map { min(max(Double($0), 0), receivedAt + Double(Self.longestLife)) }
    let hasAccessToken = text("access_token") != nil
    let asked = request.scopes ?? []
    self.init(
      accessToken: text("access_token").map { Secret($0) }, refreshToken: text("refresh_token").map { Secret($0) },
      idToken: text("id_token").map { Secret($0) }, tokenType: text("token_type") ?? tokenType,
      // A point in time is one of the provider's clock.
      expiresIn: lifetime ?? (hasAccessToken ? end.map { Int64(max($0 - (serverDate ?? receivedAt), 0)) } : nil),
      scopes: text("scope")?.split(separator: " ").map(String.init) ?? (asked.isEmpty ? nil : asked),
      grantType: request.grantType)
    binding = request.binding
    if hasAccessToken { expiresAt = lifetime == nil ? end : expiresIn.map { receivedAt + Double($0) } }
    let tokens: Set<String> = ["access_token", "refresh_token", "id_token"]
    others = .object((json.object ?? [:]).filter { !tokens.contains($0.key) })
  }

  /// The tokens after a renewal: what the response did not bring stays as it was.
  package func renewing(_ old: TokenSet) -> TokenSet {
    var tokens = self
    tokens.refreshToken = refreshToken ?? old.refreshToken
    tokens.idToken = idToken ?? old.idToken
    tokens.clientSecret = old.clientSecret
    tokens.binding = old.binding
    return tokens
  }
}
