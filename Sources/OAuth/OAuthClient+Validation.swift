import HostLoop
import JOSE
package import Secrets

extension OAuthClient {
  /// A key that is not known is looked for at most once in so many seconds.
  private static let keySearchInterval = 5.0

  /// Validates an ID token: signature, issuer, audience, times (300 seconds of skew), nonce, policy, hashes
  /// (OpenID Connect Core, 3.1.3.7).
  ///
  /// - Parameters:
  ///   - policy: whose metadata and keys count; nil for the default one.
  ///   - nonce: what the authorization request had; nil for a refresh, which has none.
  ///   - maxAge: as in the authorization request, in seconds.
  ///   - accessToken: received with the ID token, compared with `at_hash` where there is one.
  ///   - code: received with the ID token, compared with `c_hash` where there is one.
  package func validate(
    idToken: String, policy: String? = nil, nonce: String? = nil, maxAge: Int? = nil, accessToken: Secret? = nil,
    code: String? = nil
  ) async throws(OAuthError) -> IDTokenClaims {
    let expected = IDTokenRule.Expectation(nonce: nonce, maxAge: maxAge, accessToken: accessToken?.reveal(), code: code)
    return try await validate(idToken, policy, expected)
  }

  private func validate(
    _ idToken: String, _ policy: String?, _ expected: IDTokenRule.Expectation
  ) async throws(OAuthError) -> IDTokenClaims {
    let policy = try resolve(policy, .validation)
    let clientID = try clientID(.validation)
    let token: JWT
    do { token = try JWT(decoding: idToken) } catch { throw OAuthError(error) }
    let metadata = try await metadata(policy: policy)
    let algorithm = token.header["alg"]?.string ?? "none"
    let allowed = Self.algorithms(metadata)
    guard allowed.contains(algorithm) else {
      throw .mismatch(
        "algorithm_not_allowed", .validation, "the ID token is signed in a way that is not allowed (alg)",
        expected: allowed.sorted().joined(separator: " or "), actual: "\"\(algorithm)\"")
    }
    let key = try await key(token.header["kid"]?.string, algorithm, metadata)
    do { _ = try JWS.verify(idToken, key: key, algorithms: allowed) } catch { throw OAuthError(error) }
    let rule = IDTokenRule(
      issuer: metadata.issuer, clientID: clientID, policy: policy, expected: expected, now: now(),
      clock: clock.sentence)
    try rule.check(token.claims, algorithm: algorithm)
    return IDTokenClaims(token.claims)
  }

  /// Validates the ID token that came with a redirect (OpenID Connect Core, 3.2.2.11 and 3.3.2.12), which has to bind
  /// what came with it: `c_hash` the code, `at_hash` the access token.
  ///
  /// - Parameters:
  ///   - policy: whose metadata and keys count; nil for the default one.
  ///   - nonce: what the authorization request had; without one anybody could have put an old token there.
  ///   - maxAge: as in the authorization request, in seconds.
  /// - Returns: nil when the redirect brought no ID token.
  package func validate(
    _ response: AuthorizationResponse, policy: String? = nil, nonce: String, maxAge: Int? = nil
  ) async throws(OAuthError) -> IDTokenClaims? {
    guard let idToken = response.idToken else { return nil }
    let expected = IDTokenRule.Expectation(
      nonce: nonce, maxAge: maxAge, accessToken: response.accessToken?.reveal(), code: response.code,
      requiresHashes: true)
    return try await validate(idToken, policy, expected)
  }

  /// The asymmetric ones, of which the provider may name fewer.
  private static func algorithms(_ metadata: ProviderMetadata) -> Set<String> {
    let named = JWS.asymmetricAlgorithms.intersection(metadata.idTokenSigningAlgorithms)
    return metadata.idTokenSigningAlgorithms.isEmpty ? JWS.asymmetricAlgorithms : named
  }

  private func key(
    _ keyID: String?, _ algorithm: String, _ metadata: ProviderMetadata
  ) async throws(OAuthError) -> JWK {
    guard let url = metadata.jwksURI else {
      throw OAuthError("missing_endpoint", .validation, "the provider \(metadata.issuer) names no keys (jwks_uri)")
    }
    var keys = try await keys(url, again: false)
    if let key = Self.find(keyID, algorithm, keys) { return key }
    // The provider may have changed its keys since they were fetched.
    if now() - (keySearches[url] ?? -.infinity) >= Self.keySearchInterval {
      keySearches[url] = now()
      keys = try await self.keys(url, again: true)
      if let key = Self.find(keyID, algorithm, keys) { return key }
    }
    let known = keys.keys.map { $0.keyID.map { "\"\($0)\"" } ?? "one without an ID" }.joined(separator: ", ")
    throw .mismatch(
      "key_not_found", .validation, "the ID token is signed by a key that \(metadata.issuer) does not publish (kid)",
      expected: known.isEmpty ? "one of no keys" : known, actual: keyID.map { "\"\($0)\"" } ?? "none")
  }

  private static func find(_ keyID: String?, _ algorithm: String, _ keys: JWKSet) -> JWK? {
    // Keys of several types may share an ID (RFC 7517, 4.5).
    let type = algorithm.hasPrefix("ES") ? "EC" : "RSA"
    let candidates = keys.keys.filter { $0.type == type && $0.isForSignatures }
    if let keyID { return candidates.first { $0.keyID == keyID } }
    // A token may leave the key's ID out when there is only one key it can be (OpenID Connect Core, 10.1).
    return candidates.count == 1 ? candidates[0] : nil
  }

  private func keys(_ url: String, again: Bool) async throws(OAuthError) -> JWKSet {
    let json = try await documents.document(url, "the key set", again: again)
    do { return try JWKSet(json) } catch {
      throw OAuthError("malformed_metadata", .metadata, "the key set \(url) cannot be used: \(error.message)")
    }
  }
}

extension OAuthError {
  fileprivate init(_ error: JOSEError) {
    self.init(error.code, .validation, "the ID token cannot be believed: \(error.message)", hint: error.hint)
  }
}
