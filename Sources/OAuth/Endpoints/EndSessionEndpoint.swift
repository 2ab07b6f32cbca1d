import Core
package import HostLoop
import Settings

/// The endpoint that ends the provider's own session of the user (OpenID Connect RP-Initiated Logout, 2).
@HostActor
package struct EndSessionEndpoint: Sendable {
  private let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// The URL where the user ends the provider's own session.
  package func url(
    policy: String? = nil, idTokenHint: String? = nil, postLogoutRedirectURI: String? = nil, state: String? = nil
  ) async throws(OAuthError) -> String {
    let policy = try provider.resolve(policy, .authorize)
    var endpoint = provider.settings.logoutEndpoint(policy: policy)
    if endpoint == nil {
      endpoint = try await provider.address(of: .endSession, setting: "logoutURL", policy, .authorize)
    }
    var url = WebAddress(endpoint ?? "")
    url.fragment = nil
    url.set([
      ("client_id", try provider.clientID(.authorize)), ("id_token_hint", idTokenHint),
      ("post_logout_redirect_uri", postLogoutRedirectURI), ("state", state),
    ])
    return url.text
  }
}
