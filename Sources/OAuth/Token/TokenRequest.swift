package import Core
import Settings

/// A request to the token endpoint, without the client's own identification, which is added when it is sent.
package struct TokenRequest: Sendable {
  package var grantType: String
  /// Sent besides `grant_type`, `scope` and the client's identification.
  package var parameters: [String: String]
  /// A policy, or its name in `settings.policies`; nil for the default one.
  package var policy: String?
  /// Nil to send no `scope`, unless the provider wants one.
  package var scopes: [String]?
  /// The scopes that the grant of a refresh token was asked for; nil if they are not known. They are sent to a provider that
  /// wants a refresh to name its scopes.
  package var grantScopes: [String]?
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

  /// The request with the scopes that the provider wants a refresh to name. For other providers a refresh without scopes
  /// means those of the grant, and they may refuse a scope that was not granted (RFC 6749, 6).
  func namingScopes(_ settings: Settings, _ policy: String?) -> TokenRequest {
    guard grantType == "refresh_token", scopes == nil, parameters["scope"] == nil,
      policy != nil || settings.isEntra
    else { return self }
    var request = self
    let known = grantScopes ?? []
    request.scopes = known.isEmpty && settings.isEntra ? settings.scopes : known
    return request
  }

  /// The fields of the form, without the client's identification.
  var fields: [(String, String)] {
    var fields = [("grant_type", grantType)]
    fields += parameters.sorted { $0.key < $1.key }.filter { $0.key != "grant_type" }
    if let scopes, !scopes.isEmpty, parameters["scope"] == nil {
      fields.append(("scope", scopes.joined(separator: " ")))
    }
    if !binding.resources.isEmpty {
      fields.removeAll { $0.0 == "resource" }
      fields += binding.resources.map { ("resource", $0) }
    }
    if let details { fields.append(("authorization_details", details.text)) }
    return fields
  }

  var stage: OAuthError.Stage { grantType == "refresh_token" ? .refresh : .token }
}
