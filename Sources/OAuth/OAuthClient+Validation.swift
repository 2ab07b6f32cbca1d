package import Core
import HTTPClient
import HostLoop
import JOSE
import JSON

extension OAuthClient {
  /// Validates an ID token: signature, issuer, audience, times (300 seconds of skew), nonce, policy, hashes
  /// (OpenID Connect Core, 3.1.3.7).
  ///
  /// - Parameters:
  ///   - policy: whose metadata and keys count; nil for the default one.
  ///   - nonce: what the authorization request had; nil for a refresh, which has none.
  ///   - maxAge: as in the authorization request, in seconds.
  ///   - accessToken: received with the ID token, compared with `at_hash` where there is one.
  ///   - code: received with the ID token, compared with `c_hash` where there is one.
  ///   - use: what the token is used for, where it is none that says who has signed in.
  package func validate(
    idToken: String, policy: String? = nil, nonce: String? = nil, maxAge: Int? = nil, accessToken: Secret? = nil,
    code: String? = nil, use: TokenUse = .idToken
  ) async throws(OAuthError) -> IDTokenClaims {
    let expected = IDTokenRule.Expectation(
      nonce: nonce, maxAge: maxAge, accessToken: accessToken?.reveal(), code: code, use: use)
    do { return try await validate(idToken, policy, expected) } catch {
      guard use != .idToken else { throw error }
      var error = error
      error.message = error.message.replacing("ID token", with: use.noun)
      throw error
    }
  }

  func validate(
    _ idToken: String, _ policy: String?, _ expected: IDTokenRule.Expectation
  ) async throws(OAuthError) -> IDTokenClaims {
    guard let events = http.events, events.isWatched(IDTokenValidation.self) else {
      return try await validate(idToken, policy, expected, nil)
    }
    let log = ValidationLog()
    let start = HostLoop.uptime
    var validation = IDTokenValidation(idToken: idToken, policy: policy)
    defer {
      validation.checks = log.checks
      validation.seconds = HostLoop.uptime - start
      events.emit(validation)
    }
    do { return try await validate(idToken, policy, expected, log) } catch {
      log.failed()
      validation.error = error
      throw error
    }
  }

  private func validate(
    _ idToken: String, _ policy: String?, _ expected: IDTokenRule.Expectation, _ log: ValidationLog?
  ) async throws(OAuthError) -> IDTokenClaims {
    log?.check("form")
    let policy = try resolve(policy, .validation)
    let clientID = try clientID(.validation)
    let token: JWT
    do { token = try JWT(decoding: idToken) } catch { throw OAuthError(error) }
    var metadata = try await metadata(policy: policy)
    log?.check("algorithm", actual: token.header["alg"])
    let algorithm = try Self.algorithm(token, expected.use)
    var allowed = try Self.algorithms(metadata)
    if !allowed.contains(algorithm), JWS.asymmetricAlgorithms.contains(algorithm) {
      // The provider may sign in another way since the document was fetched.
      metadata = try await self.metadata(policy: policy, again: true)
      allowed = try Self.algorithms(metadata)
    }
    guard allowed.contains(algorithm) else {
      throw .mismatch(
        "algorithm_not_allowed", .validation, "the ID token is signed in a way that is not allowed (alg)",
        expected: allowed.sorted().joined(separator: " or "), actual: "\"\(algorithm)\"")
    }
    log?.check("signature", actual: token.header["kid"])
    let key = try await key(token.header["kid"]?.string, algorithm, metadata)
    do { _ = try JWS.verify(idToken, key: key, algorithms: allowed) } catch { throw OAuthError(error) }
    log?.check("issuer", "iss", expected: .string(metadata.issuer), actual: token.claims["iss"])
    let issuer = try Self.issuer(token, metadata, key)
    let rule = IDTokenRule(
      issuer: issuer, clientID: clientID, policy: policy, expected: expected, now: time(for: expected),
      clockDifference: clock.difference, log: log)
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

  /// The time by which a token is judged. A refreshed one came just now from the provider, whose clock counts: a wrong
  /// clock of this machine must not cost the account its new tokens.
  func time(for expected: IDTokenRule.Expectation) -> Double {
    expected.original == nil ? now() : now() - (clock.difference ?? 0)
  }

  private static func algorithm(_ token: JWT, _ use: TokenUse) throws(OAuthError) -> String {
    guard let algorithm = token.header["alg"]?.string else {
      let actual = token.header["alg"].map { "is no string: \($0.encoded())" } ?? "is missing"
      throw OAuthError(
        "malformed_token", .validation, "the ID token's header does not say how it is signed: alg \(actual)")
    }
    if let type = token.header["typ"]?.string, !use.allows(type: type) {
      throw .mismatch(
        "malformed_token", .validation, "the token is no ID token (typ)", expected: "\"JWT\"", actual: "\"\(type)\"",
        hint: use == .idToken ? nil : "use another kind")
    }
    return algorithm
  }

  /// The issuer that the token has to name.
  private static func issuer(
    _ token: JWT, _ metadata: ProviderMetadata, _ key: JWK
  ) throws(OAuthError) -> String {
    let tenant = token.claims["tid"]?.string
    guard let issuer = IssuerRule.issuer(named: metadata.issuer, tenant: tenant) else {
      throw .mismatch(
        "issuer_mismatch", .validation, "the ID token does not say whose it is (tid)",
        expected: "the GUID of a tenant, for the issuer \"\(metadata.issuer)\"",
        actual: tenant.map { "\"\($0)\"" } ?? "none")
    }
    // Where tenants share a metadata document, a key may be for one of them alone.
    if issuer != metadata.issuer, let named = key.json["issuer"]?.string {
      let expected = IssuerRule.issuer(named: named, tenant: tenant)
      guard issuer == expected else {
        throw .mismatch(
          "issuer_mismatch", .validation, "the ID token is signed by a key of another issuer",
          expected: "\"\(expected ?? named)\"", actual: "\"\(issuer)\"")
      }
    }
    return issuer
  }

  /// The asymmetric ones, of which the provider may name fewer.
  private static func algorithms(_ metadata: ProviderMetadata) throws(OAuthError) -> Set<String> {
    let known = JWS.asymmetricAlgorithms
    guard !metadata.idTokenSigningAlgorithms.isEmpty else { return known }
    let common = known.intersection(metadata.idTokenSigningAlgorithms)
    guard !common.isEmpty else {
      throw .mismatch(
        "algorithm_not_allowed", .validation,
        "the provider signs ID tokens in no way known here (id_token_signing_alg_values_supported)",
        expected: "one of \(known.sorted().joined(separator: ", "))",
        actual: metadata.idTokenSigningAlgorithms.joined(separator: ", "))
    }
    return common
  }
}

extension OAuthError {
  init(_ error: JOSEError) {
    self.init(error.code, .validation, "the ID token cannot be believed: \(error.message)", hint: error.hint)
  }
}
