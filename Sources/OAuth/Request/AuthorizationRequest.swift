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
  /// The thumbprint of the key that the code is bound to (RFC 9449, 10).
  package var proofThumbprint: String?
  package var responseType = "code"
  /// `query`, `fragment`, `form_post`, the same with `.jwt`, or `jwt`.
  package var responseMode: String?
  /// `none`, `login`, `consent` or `select_account`.
  package var prompt: String?
  package var loginHint: String?
  package var domainHint: String?
  /// Languages in order of preference, with spaces between.
  package var uiLocales: String?
  package var idTokenHint: String?
  /// Seconds since the user last typed a password.
  package var maxAge: Int?
  /// Kinds of authentication in order of preference, with spaces between.
  package var acrValues: String?
  /// The APIs that tokens are asked for (RFC 8707), as absolute URIs; see `ResourceIndicator`.
  package var resources: [String] = []
  /// The details of what is asked for (RFC 9396).
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

  func fields(clientID: String, redirectURI: String, scopes: [String]) -> [(String, String?)] {
    [
      ("client_id", clientID), ("response_type", responseType), ("redirect_uri", redirectURI),
      ("scope", scopes.joined(separator: " ")), ("response_mode", responseMode), ("state", state), ("nonce", nonce),
      ("code_challenge", pkce?.challenge), ("code_challenge_method", pkce?.method.rawValue),
      ("dpop_jkt", proofThumbprint),
      ("prompt", prompt),
      ("login_hint", loginHint), ("domain_hint", domainHint), ("ui_locales", uiLocales), ("id_token_hint", idTokenHint),
      ("max_age", maxAge.map(String.init)), ("acr_values", acrValues), ("authorization_details", details?.text),
    ]
  }
}
