extension ProfileRules {
  /// The draft of OAuth 2.1. Its sections are those of draft-ietf-oauth-v2-1-13.
  static let oauth21 = ProfileRules(
    title: "OAuth 2.1",
    authorization: [
      .init(
        "10.1", "the authorization endpoint must give no access tokens (response_type token)",
        hint: "use response_type = \"code\""
      ) { !$0.request.responseType.split(separator: " ").contains("token") },
      .init(
        "4.1.1", "a request for a code must have a code_challenge (PKCE)",
        hint: "give pkce = oauth.pkce() to oauth.authorize_url, and its verifier to oauth.token"
      ) { $0.request.requestURI != nil || !$0.request.wantsCode || $0.request.pkce != nil },
      .init(
        "4.1.1", "a client that can use S256 must use it (code_challenge_method)",
        hint: "give pkce = oauth.pkce(), without \"plain\""
      ) { $0.request.pkce?.method != .plain || $0.knowsPlainOnly },
      .init(
        "2.3.1", "a redirect URI must be complete, for a comparison as a string",
        hint: "register the redirect URI as it is used"
      ) { ProfileAddress.isExact(redirectURI: $0.redirectURI) },
      .init(
        "1.5", "a redirect URI must have https; http is for this machine alone",
        hint: "register an https or loopback redirect URI"
      ) { ProfileAddress.isSafe(redirectURI: $0.redirectURI) },
    ],
    tokenRequest: [
      .init(
        "10", "the password grant must not be used (grant_type password)",
        hint: "sign in with the flow authorization_code"
      ) { $0.request.grantType != "password" }
    ],
    remarks: [
      .init(
        "4.3", "a refresh token of a public client must be bound to a key, or be replaced at each refresh",
        hint: "sign in with dpop = true, or ask the provider to rotate refresh tokens"
      ) { answer in
        answer.tokens.grantType != "refresh_token" || answer.tokens.refreshToken != nil
          || !answer.request.client.isPublic || answer.request.isBound
      }
    ])
}

extension AuthorizationRequest {
  var wantsCode: Bool { responseType.split(separator: " ").contains("code") }
}
