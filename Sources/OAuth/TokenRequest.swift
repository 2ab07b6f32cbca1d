package import Core

/// A request to the token endpoint, without the client's own identification, which is added when it is sent.
package struct TokenRequest: Sendable {
  package var grantType: String
  /// Sent besides `grant_type`, `scope` and the client's identification.
  package var parameters: [String: String]
  /// A policy, or its name in `settings.policies`; nil for the default one.
  package var policy: String?
  /// Nil to send no `scope`.
  package var scopes: [String]?
  /// The details of what is asked for (RFC 9396); nil to send none.
  package var details: AuthorizationDetails?
  /// The details of the authorization request that led to this one. The answer is compared with them.
  package var authorizedDetails: AuthorizationDetails?
  /// The binding of the tokens that are asked for.
  package var binding = TokenBinding()

  /// Any grant (RFC 6749, 4.5).
  package init(grantType: String, parameters: [String: String] = [:], policy: String? = nil, scopes: [String]? = nil) {
    self.grantType = grantType
    self.parameters = parameters
    self.policy = policy
    self.scopes = scopes
  }

  /// Asks for new tokens (RFC 6749, 6).
  package static func refreshToken(_ token: Secret, policy: String? = nil, scopes: [String]? = nil) -> TokenRequest {
    TokenRequest(
      grantType: "refresh_token", parameters: ["refresh_token": token.reveal()], policy: policy, scopes: scopes)
  }

  var stage: OAuthError.Stage { grantType == "refresh_token" ? .refresh : .token }
}
