/// The request of an authorization URL (RFC 6749, 4.1.1; OpenID Connect Core, 3.1.2.1). It has no parameter for nil.
package struct AuthorizationRequest: Sendable {
  /// A policy, or its name in `settings.policies`; nil for the default one.
  package var policy: String?
  /// Nil for the one of the settings.
  package var redirectURI: String?
  /// Nil for those of the settings.
  package var scopes: [String]?
  /// Comes back in the redirect; see `SecureRandom.token()`.
  package var state: String?
  /// Comes back in the ID token.
  package var nonce: String?
  package var pkce: PKCE?
  package var responseType = "code"
  /// Parameters that the provider gets as they are, by their names.
  package var hints: [Hint: String] = [:]
  /// The key that the code is bound to (RFC 9449, 10), and the APIs of the tokens (RFC 8707).
  package var binding = TokenBinding()
  /// The requested details (RFC 9396).
  package var details: AuthorizationDetails?
  /// True to push the request to the provider first (RFC 9126), false not to; nil to do what the provider requires.
  package var isPushed: Bool?
  /// The form of the parameters (RFC 9101); nil for the one that the provider requires.
  package var requestObject: RequestObjectForm?
  /// The name of a request that was pushed, in place of all other parameters.
  package var requestURI: String?
  /// Further parameters; they replace those of the settings' `additionalParameters`.
  package var parameters: [String: String] = [:]

  package init() {}

  /// A parameter that the user or the provider may need, and that has no meaning for the client.
  package enum Hint: String, CaseIterable, Sendable {
    /// `none`, `login`, `consent` or `select_account`.
    case prompt
    case loginHint = "login_hint"
    case domainHint = "domain_hint"
    /// Languages in order of preference, with spaces between.
    case uiLocales = "ui_locales"
    case idTokenHint = "id_token_hint"
    /// Seconds since the user last typed a password.
    case maxAge = "max_age"
    /// Kinds of authentication in order of preference, with spaces between.
    case acrValues = "acr_values"
    /// `query`, `fragment`, `form_post`, the same with `.jwt`, or `jwt`.
    case responseMode = "response_mode"
  }

  func fields(clientID: String, redirectURI: String, scopes: [String]) -> [(String, String?)] {
    [
      ("client_id", clientID), ("response_type", responseType), ("redirect_uri", redirectURI),
      ("scope", scopes.isEmpty ? nil : scopes.joined(separator: " ")), ("response_mode", hints[.responseMode]),
      ("state", state),
      ("nonce", nonce), ("code_challenge", pkce?.challenge), ("code_challenge_method", pkce?.method.rawValue),
      ("dpop_jkt", binding.proofKey?.thumbprint),
    ] + Hint.allCases.dropLast().map { ($0.rawValue, hints[$0]) } + [("authorization_details", details?.text)]
  }
}
