import Core
package import HostLoop
import JOSE
import JSON
import Settings

/// The form of an authorization request's parameters (RFC 9101).
package enum RequestObjectForm: Sendable {
  /// Plain parameters.
  case absent
  /// A JWT that the client signs.
  case signed
  /// The same, encrypted for the provider.
  case encrypted
}

/// The parameters of an authorization request as a JWT (RFC 9101).
@HostActor
package struct RequestObject: Sendable {
  private let provider: Provider
  private var settings: Settings { provider.settings }

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Seconds; the user may load the page of the provider again in this time.
  private static let requestLifetime = 300.0
  /// The algorithms for the key of an encrypted request object, the best one first.
  private static let keyAlgorithms = ["ECDH-ES+A256KW", "ECDH-ES+A128KW", "ECDH-ES", "RSA-OAEP-256", "RSA-OAEP"]
  private static let contentAlgorithms = ["A256GCM", "A128GCM", "A256CBC-HS512", "A128CBC-HS256"]
  /// The parameters whose values are JSON.
  private static let structured: Set<String> = ["max_age", "authorization_details", "claims"]

  /// The request object of an authorization request (RFC 9101, 4), which the key of the setting `clientKey` signs.
  /// - Throws: `missing_key`, `invalid_key`, `algorithm_not_allowed`; `key_not_found` where the provider publishes no key
  ///   to encrypt with.
  package func text(
    _ request: AuthorizationRequest, isEncrypted: Bool = false
  ) async throws(OAuthError) -> String {
    let policy = try provider.resolve(request.policy, .authorize)
    let clientID = try provider.clientID(.authorize)
    let metadata = settings.metadataURL(policy: policy) == nil ? nil : try await provider.metadata(policy: policy)
    let key = try await requestKey()
    let accepted = metadata?.strings("request_object_signing_alg_values_supported")
    let algorithm = try key.algorithm(
      among: accepted, .authorize,
      "the provider takes no request object that \(key.place) can sign (request_object_signing_alg_values_supported)")
    guard let audience = metadata?.issuer ?? settings.issuer ?? settings.authorizationEndpoint(policy: policy) else {
      throw OAuthError(
        "missing_endpoint", .authorize,
        "\(settings.source) does not name the provider, which a request object is for (aud)",
        hint: "put authority or issuer into the settings")
    }
    var claims = Self.claims(try AuthorizationEndpoint(provider).fields(of: request))
    let now = provider.now()
    claims.merge(
      JWT.assertion(
        issuer: clientID, subject: clientID, audience: audience, now: now, lifetime: Self.requestLifetime)
    ) { $1 }
    // With the client as subject, it could be taken for a client assertion (RFC 9101, 10.8).
    claims["sub"] = nil
    claims["nbf"] = .integer(Int64(now))
    let object: String
    do throws(JOSEError) {
      object = try JWT.sign(
        .object(claims), header: ["alg": .string(algorithm), "typ": "oauth-authz-req+jwt"], key: key)
    } catch { throw OAuthError(error, .authorize) }
    return isEncrypted ? try await encrypted(object, metadata) : object
  }

  /// The request object in the form that the request asks for, or the known metadata document requires; nil for none.
  func text(for request: AuthorizationRequest, _ policy: String?) async throws(OAuthError) -> String? {
    let isRequired = provider.knownMetadata(policy)?.requiresRequestObjects ?? false
    return switch request.requestObject ?? (isRequired ? .signed : .absent) {
    case .absent: nil
    case .signed: try await text(request)
    case .encrypted: try await text(request, isEncrypted: true)
    }
  }

  private func requestKey() async throws(OAuthError) -> PrivateKey {
    guard settings.clientKey != nil else {
      throw OAuthError(
        "missing_key", .authorize,
        "a request object needs a key that signs it, and \(settings.source) has no clientKey",
        hint:
          "put clientKey into the settings, the file of the private key or stored:NAME, and register its public half")
    }
    let key = try await provider.credentials.key(.authorize)
    guard key.type != "oct" else {
      throw OAuthError(
        "invalid_key", .authorize, "a request object needs a private key, and \(key.place) is a symmetric one",
        hint: "use an RSA, EC or Ed25519 key")
    }
    return key
  }

  /// A parameter that occurs more than once becomes a list.
  private static func claims(_ fields: [(String, String)]) -> [String: JSON] {
    var claims: [String: JSON] = [:]
    for (name, text) in fields {
      let parsed = structured.contains(name) ? try? JSON(parsing: Array(text.utf8), maximumDepth: 32) : nil
      let value = parsed ?? .string(text)
      claims[name] = claims[name].map { .array(($0.array ?? [$0]) + [value]) } ?? value
    }
    return claims
  }

  private func encrypted(_ object: String, _ metadata: ProviderMetadata?) async throws(OAuthError) -> String {
    guard let metadata, let url = metadata[.keys] else {
      throw OAuthError(
        "missing_endpoint", .authorize, "the provider names no keys (jwks_uri), so nothing can be encrypted for it",
        hint: "use request_object = true, which only signs")
    }
    let keys = try await ProviderKeys(provider, metadata).all(url).keys.filter { $0.json["use"] == "enc" }
    let known = metadata.strings("request_object_encryption_alg_values_supported")
    let algorithms = Self.keyAlgorithms.filter { known?.contains($0) ?? true }
    let contents = metadata.strings("request_object_encryption_enc_values_supported")
    let possible = algorithms.lazy.flatMap { algorithm in
      keys.filter { $0.type == (algorithm.hasPrefix("RSA") ? "RSA" : "EC") && ($0.algorithm ?? algorithm) == algorithm }
        .map { (algorithm: algorithm, key: $0) }
    }
    guard let (algorithm, key) = possible.first,
      let content = Self.contentAlgorithms.first(where: { contents?.contains($0) ?? true })
    else {
      throw OAuthError(
        "key_not_found", .authorize,
        "the provider \(metadata.issuer) offers no encryption of request objects that is known here (a key with use enc, "
          + "request_object_encryption_alg_values_supported)", hint: "use request_object = true, which only signs")
    }
    var header: [String: JSON] = ["alg": .string(algorithm), "enc": .string(content), "cty": "JWT"]
    header["kid"] = key.keyID.map { .string($0) }
    do { return try JWE.encrypt(Array(object.utf8), header: .object(header), key: key) } catch {
      throw OAuthError(error, .authorize)
    }
  }
}
