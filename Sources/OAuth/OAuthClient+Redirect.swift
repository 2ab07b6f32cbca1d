import Core
import HostLoop
import Settings

extension OAuthClient {
  /// Reads the redirect that answers an authorization request (see `AuthorizationResponse.init(redirect:)`).
  ///
  /// The parameter `iss` (RFC 9207) is compared with the issuer of the settings or of the metadata document. That is
  /// fetched when the redirect has an `iss`; where it is known to promise one, a redirect without is refused.
  package func readRedirect(
    _ url: String, expectedRedirectURI: String? = nil, state: String? = nil, policy: String? = nil
  ) async throws(OAuthError) -> AuthorizationResponse {
    if knownIssuer(policy) == nil, WebAddress(url).parameters.contains(where: { $0.name == "iss" }),
      settings.metadataURL(policy: try resolve(policy, .authorize)) != nil
    {
      _ = try await metadata(policy: policy)
    }
    return try parseRedirect(url, expectedRedirectURI: expectedRedirectURI, state: state, policy: policy)
  }

  /// The same without asking the provider: `iss` is compared with `issuer`, else with what is known of it so far.
  package func parseRedirect(
    _ url: String, expectedRedirectURI: String? = nil, state: String? = nil, issuer: String? = nil,
    policy: String? = nil
  ) throws(OAuthError) -> AuthorizationResponse {
    let known = knownIssuer(policy)
    return try AuthorizationResponse(
      redirect: url, expectedRedirectURI: expectedRedirectURI, state: state, issuer: issuer ?? known?.name,
      requiresIssuer: known?.isNamedInRedirects ?? false)
  }

  private func knownIssuer(_ policy: String?) -> (name: String, isNamedInRedirects: Bool)? {
    if let url = settings.metadataURL(policy: try? settings.policy(policy)), let json = documents.known(url),
      let metadata = try? ProviderMetadata(json, from: url, expectedIssuer: settings.issuer)
    {
      return (metadata.issuer, metadata.namesIssuerInRedirects)
    }
    return settings.issuer.map { ($0, false) }
  }
}
