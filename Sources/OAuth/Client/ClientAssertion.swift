import Core
import HostLoop
import JOSE
import JSON
import Settings

/// Client assertions (RFC 7523, 2.2): signed statements of the client that take the place of its secret.
extension EndpointRequest {
  private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// The fields of a new assertion. Each request needs one of its own: providers accept an assertion once.
  func assertion(
    _ method: ClientAuthentication, _ clientID: String
  ) async throws(OAuthError) -> [(String, String)] {
    let settings = provider.settings
    let metadata = settings.metadataURL(policy: policy) == nil ? nil : try await provider.metadata(policy: policy)
    let key = try await provider.credentials.assertionKey(method, stage)
    let accepted = settings.algorithms(among: metadata?.strings("token_endpoint_auth_signing_alg_values_supported"))
    let algorithm = try key.algorithm(
      among: accepted, stage,
      "\(name) \(url) takes no assertion that \(key.place) can sign (token_endpoint_auth_signing_alg_values_supported)")
    // Only the address that the request goes to is taken for a provider without a metadata document: an assertion for
    // another one could be used there.
    let audience = settings.clientAssertionAudience == "issuer" ? metadata?.issuer ?? url : url
    let claims = JWT.assertion(issuer: clientID, subject: clientID, audience: audience, now: provider.now())
    let assertion: String
    do throws(JOSEError) {
      assertion = try JWT.sign(.object(claims), header: ["alg": .string(algorithm)], key: key)
    } catch { throw OAuthError(error, stage) }
    // The provider may repeat it in a message.
    Redaction.share(assertion)
    return [("client_assertion_type", Self.assertionType), ("client_assertion", assertion)]
  }
}
