package import Core
import HTTPClient
package import HostLoop
import Settings

/// The endpoint at which a client takes tokens back (RFC 7009).
@HostActor
package struct RevocationEndpoint: Sendable {
  private let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Makes the provider forget a token. Returns false where the metadata names no revocation endpoint, as that of
  /// Azure AD B2C does.
  /// - Parameter hint: `refresh_token` or `access_token`.
  package func revoke(
    _ token: Secret, hint: String? = "refresh_token", policy: String? = nil
  ) async throws(OAuthError) -> Bool {
    let policy = try provider.resolve(policy, .token)
    guard provider.settings.metadataURL(policy: policy) != nil else { return false }
    let metadata = try await provider.metadata(policy: policy)
    guard let endpoint = metadata[.revocation] else { return false }
    let request = EndpointRequest(
      provider: provider, name: "the revocation endpoint", url: endpoint, stage: .token,
      methods: metadata.authenticationMethods(at: .revocation),
      fields: [("token", token.reveal())] + (hint.map { [("token_type_hint", $0)] } ?? []), policy: policy)
    let response = try await request.send()
    // Whatever a success has in its body says nothing (RFC 7009, 2.2).
    guard response.status != 200 else { return true }
    throw request.failure(response)
  }
}
