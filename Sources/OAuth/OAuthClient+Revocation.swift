package import Core
import HTTPClient
import HostLoop
import Settings

extension OAuthClient {
  /// Makes the provider forget a token (RFC 7009).
  ///
  /// - Parameters:
  ///   - hint: `refresh_token` or `access_token`.
  ///   - policy: a policy, or its name in `settings.policies`; nil for the default one.
  /// - Returns: false where the provider cannot: its metadata names no revocation endpoint, as that of Azure AD B2C does.
  package func revoke(
    _ token: Secret, hint: String? = "refresh_token", policy: String? = nil
  ) async throws(OAuthError) -> Bool {
    let policy = try resolve(policy, .token)
    guard settings.metadataURL(policy: policy) != nil else { return false }
    let metadata = try await metadata(policy: policy)
    guard let endpoint = metadata.revocationEndpoint else { return false }
    var fields = [("token", token.reveal())]
    if let hint { fields.append(("token_type_hint", hint)) }
    let request = EndpointRequest(
      name: "the revocation endpoint", url: endpoint, stage: .token, methods: metadata.revocationEndpointAuthMethods,
      fields: fields, hint: nil)
    let response = try await send(request)
    // Whatever a success has in its body says nothing (RFC 7009, 2.2).
    guard response.status != 200 else { return true }
    throw failure(response, request)
  }
}
