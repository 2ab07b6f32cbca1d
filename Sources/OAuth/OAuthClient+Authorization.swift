import Core
import HostLoop
import Settings

extension OAuthClient {
  /// Parameters that belong to the request itself, so that a script cannot change them by accident.
  private static let reserved: Set<String> = [
    "client_id", "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
  ]

  /// Where to send the user. The endpoint's own parameters, such as `p`, stay; none occurs twice.
  package func authorizationURL(_ request: AuthorizationRequest) async throws(OAuthError) -> String {
    let policy = try resolve(request.policy, .authorize)
    let clientID = try clientID(.authorize)
    var url = WebAddress(try await authorizationEndpoint(policy))
    url.fragment = nil
    for (name, value) in settings.additionalParameters.sorted(by: { $0.key < $1.key }) { url.set(name, value) }
    let redirectURI: String
    do throws(SettingsError) {
      redirectURI = if let given = request.redirectURI { given } else { try settings.redirectURL }
    } catch {
      throw OAuthError(error, .authorize)
    }
    let fields = request.fields(
      clientID: clientID, redirectURI: redirectURI, scopes: request.scopes ?? settings.scopes)
    for (name, value) in fields {
      if let value { url.set(name, value) }
    }
    for (name, value) in request.parameters.sorted(by: { $0.key < $1.key }) {
      guard !Self.reserved.contains(name) else {
        throw OAuthError(
          "invalid_parameter", .authorize, "\"\(name)\" cannot be set as a further parameter of the authorization URL",
          hint: "the request has an option of its own for it")
      }
      url.set(name, value)
    }
    return url.text
  }

  /// Where to send the user to end the provider's own session (OpenID Connect RP-Initiated Logout, 2).
  package func endSessionURL(
    policy: String? = nil, idTokenHint: String? = nil, postLogoutRedirectURI: String? = nil, state: String? = nil
  ) async throws(OAuthError) -> String {
    let policy = try resolve(policy, .authorize)
    let endpoint: String
    if let url = settings.logoutEndpoint(policy: policy) {
      endpoint = url
    } else {
      endpoint = try await self.endpoint(\.endSessionEndpoint, "logoutURL", policy, .authorize)
    }
    var url = WebAddress(endpoint)
    url.fragment = nil
    url.set("client_id", try clientID(.authorize))
    let fields = [
      ("id_token_hint", idTokenHint), ("post_logout_redirect_uri", postLogoutRedirectURI), ("state", state),
    ]
    for (name, value) in fields {
      if let value { url.set(name, value) }
    }
    return url.text
  }

  private func authorizationEndpoint(_ policy: String?) async throws(OAuthError) -> String {
    if let url = settings.authorizationEndpoint(policy: policy) { return url }
    return try await endpoint(\.authorizationEndpoint, "authURL", policy, .authorize)
  }
}
