import Core
import Crypto
package import JOSE
import JSON
import Settings

/// Client assertions (RFC 7523, 2.2): signed statements of the client that take the place of its secret.
extension OAuthClient {
  static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// The fields of a new assertion. Each request needs one of its own: providers accept an assertion once.
  func assertion(
    _ method: ClientAuthentication, _ clientID: String, _ request: EndpointRequest
  ) async throws(OAuthError) -> [(String, String)] {
    let metadata =
      settings.metadataURL(policy: request.policy) == nil ? nil : try await metadata(policy: request.policy)
    let key = try await assertionKey(method, request.stage)
    let accepted = algorithms(among: metadata?.assertionAlgorithms)
    guard let algorithm = key.algorithms.first(where: { accepted?.contains($0.rawValue) ?? true }) else {
      throw .mismatch(
        "algorithm_not_allowed", request.stage,
        "\(request.name) \(request.url) takes no assertion that \(key.place) can sign "
          + "(token_endpoint_auth_signing_alg_values_supported)",
        expected: key.algorithms.map(\.rawValue).joined(separator: ", "),
        actual: accepted?.joined(separator: ", ") ?? "", hint: "use a key for one of the provider's algorithms")
    }
    // Only the address that the request goes to is taken for a provider without a metadata document: an assertion for
    // another one could be used there.
    let audience = settings.clientAssertionAudience == "issuer" ? metadata?.issuer ?? request.url : request.url
    let claims = JWT.assertion(issuer: clientID, subject: clientID, audience: audience, now: now())
    let assertion: String
    do throws(JOSEError) {
      assertion = try JWT.sign(.object(claims), header: ["alg": .string(algorithm.rawValue)], key: key)
    } catch { throw OAuthError(error, request.stage) }
    // The provider may repeat it in a message.
    Redaction.share(assertion)
    return [("client_assertion_type", Self.assertionType), ("client_assertion", assertion)]
  }

  func assertionKey(
    _ method: ClientAuthentication, _ stage: OAuthError.Stage
  ) async throws(OAuthError) -> PrivateKey {
    guard method == .keyJWT else { return try secretKey(stage) }
    let key = try await clientKey(stage)
    guard key.type != "oct" else {
      throw OAuthError(
        "invalid_key", stage, "private_key_jwt needs a private key, and \(key.place) is a symmetric one",
        hint: "use an RSA, EC or Ed25519 key, or clientAuthentication = client_secret_jwt with clientSecret")
    }
    return key
  }

  private func secretKey(_ stage: OAuthError.Stage) throws(OAuthError) -> PrivateKey {
    let secret = Array((settings.clientSecret?.reveal() ?? "").utf8)
    guard secret.count >= 32 else {
      throw OAuthError(
        "invalid_key", stage,
        "client_secret_jwt needs a client secret of at least 32 bytes (RFC 7518, 3.2); \(settings.source) has one of "
          + "\(secret.count)", hint: "register a longer secret, or use another clientAuthentication")
    }
    do throws(JOSEError) {
      return try PrivateKey(
        jwk: ["kty": "oct", "k": .string(Base64URL.encode(secret))], at: "clientSecret in \(settings.source)")
    } catch { throw OAuthError(error, stage) }
  }

  /// The key of the setting `clientKey`, which is read once, when the first request needs it.
  /// - Throws: the reason why the key cannot be read or used.
  package func clientKey(_ stage: OAuthError.Stage) async throws(OAuthError) -> PrivateKey {
    if let key = loadedKey { return key }
    guard let source = settings.clientKey, let loadKey else {
      throw OAuthError(
        "missing_key", stage, "\(settings.source) has no clientKey",
        hint: "put the file of the private key into the settings, or stored:NAME")
    }
    do {
      let key = try await loadKey(source)
      loadedKey = key
      return key
    } catch {
      let failure = error as? any Failure
      throw OAuthError(
        failure?.code ?? "invalid_key", stage, "clientKey in \(settings.source): \(failure?.message ?? "\(error)")",
        hint: failure?.hint)
    }
  }
}
