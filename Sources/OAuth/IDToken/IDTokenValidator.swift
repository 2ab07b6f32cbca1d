package import Core
import HTTPClient
package import HostLoop
import JOSE
package import JSON
import Settings

/// Validates ID tokens, and the other tokens that a provider signs for the client.
@HostActor
package struct IDTokenValidator: Sendable {
  let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Validates an ID token and returns its claims: signature, issuer, audience, times (300 seconds of skew), nonce,
  /// policy, hashes (OpenID Connect Core, 3.1.3.7).
  /// - Parameters:
  ///   - nonce: that of the authorization request; nil for a refresh, which has none.
  ///   - maxAge: as in the authorization request, in seconds.
  ///   - accessToken: received with the ID token, compared with `at_hash` where there is one.
  ///   - code: received with the ID token, compared with `c_hash` where there is one.
  ///   - requiresHashes: refuses a token of a redirect without `c_hash` for its code or `at_hash` for its access token
  ///     (OpenID Connect Core, 3.2.2.11 and 3.3.2.12).
  package func validate(
    idToken: String, policy: String? = nil, nonce: String? = nil, maxAge: Int? = nil, accessToken: Secret? = nil,
    code: String? = nil, requiresHashes: Bool = false, use: TokenUse = .idToken
  ) async throws(OAuthError) -> JSON {
    try await validate(
      idToken, policy,
      .init(
        nonce: nonce, maxAge: maxAge, accessToken: accessToken?.reveal(), code: code, requiresHashes: requiresHashes,
        use: use))
  }

  /// Validates the ID token of a refresh by the rules of a sign-in, and that it continues the sign-in with the claims
  /// `original` (OpenID Connect Core, 12.2). The access token is compared with `at_hash` where there is one.
  /// - Returns: true if the signature was checked, too. False means that the provider's keys were not reached: the
  ///   access token may be used, but nobody should believe the ID token.
  package func validate(
    refreshed idToken: String, policy: String?, original: JSON, accessToken: Secret?
  ) async throws(OAuthError) -> Bool {
    let expected = IDTokenRule.Expectation(accessToken: accessToken?.reveal(), original: original)
    do {
      _ = try await validate(idToken, policy, expected)
      return true
    } catch  where error.stage == .metadata || error.code == "missing_endpoint" {
      try rule(Self.decode(idToken), issuer: original["iss"]?.string ?? "", policy, expected, nil).check()
      return false
    }
  }

  func validate(
    _ idToken: String, _ policy: String?, _ expected: IDTokenRule.Expectation
  ) async throws(OAuthError) -> JSON {
    let log = provider.http.events?.isWatched(IDTokenValidation.self) == true ? ValidationLog(idToken, policy) : nil
    do {
      let token = try await validate(idToken, policy, expected, log)
      if let log { provider.http.events?.emit(log.end(nil)) }
      return token.claims
    } catch {
      if let log { provider.http.events?.emit(log.end(error)) }
      var error = error
      if expected.use != .idToken { error.message = error.message.replacing("ID token", with: expected.use.noun) }
      throw error
    }
  }

  private func validate(
    _ idToken: String, _ policy: String?, _ expected: IDTokenRule.Expectation, _ log: ValidationLog?
  ) async throws(OAuthError) -> JWT {
    log?.check("form")
    let policy = try provider.resolve(policy, .validation)
    _ = try provider.clientID(.validation)
    let token = try Self.decode(idToken)
    var metadata = try await provider.metadata(policy: policy)
    log?.check("algorithm", actual: token.header["alg"])
    let algorithm = try Self.algorithm(token, expected.use)
    var allowed = try Self.algorithms(metadata, expected.use)
    if !allowed.contains(algorithm), JWS.asymmetricAlgorithms.contains(algorithm) {
      // The provider may sign in another way since the document was fetched.
      metadata = try await provider.metadata(policy: policy, again: true)
      allowed = try Self.algorithms(metadata, expected.use)
    }
    guard allowed.contains(algorithm) else {
      throw .mismatch(
        "algorithm_not_allowed", .validation, "the ID token is signed in a way that is not allowed (alg)",
        expected: allowed.sorted().joined(separator: " or "), actual: "\"\(algorithm)\"")
    }
    log?.check("signature", actual: token.header["kid"])
    try ProfileChecks(provider).check(algorithm: algorithm, of: expected.use.noun)
    let key = try await ProviderKeys(provider, metadata).key(token.header["kid"]?.string, algorithm)
    do { _ = try JWS.verify(idToken, key: key, algorithms: allowed) } catch {
      throw OAuthError(error, .validation, "the ID token cannot be believed: ")
    }
    log?.check("issuer", "iss", expected: .string(metadata.issuer), actual: token.claims["iss"])
    try rule(token, issuer: Self.issuer(token, metadata, key), policy, expected, log).check()
    return token
  }

  private static func decode(_ token: String) throws(OAuthError) -> JWT {
    do { return try JWT(decoding: token) } catch {
      throw OAuthError(error, .validation, "the ID token cannot be believed: ")
    }
  }

  /// A refreshed token came just now, so the provider's clock counts: a wrong clock here must not cost its new tokens.
  private func rule(
    _ token: JWT, issuer: String, _ policy: String?, _ expected: IDTokenRule.Expectation, _ log: ValidationLog?
  ) throws(OAuthError) -> IDTokenRule {
    let difference = provider.clockDifference
    return IDTokenRule(
      token: token, issuer: issuer, clientID: try provider.clientID(.validation), policy: policy, expected: expected,
      now: provider.now() - (expected.original == nil ? 0 : difference ?? 0), clockDifference: difference, log: log)
  }

  private static func algorithm(_ token: JWT, _ use: TokenUse) throws(OAuthError) -> String {
    guard let algorithm = token.header["alg"]?.string else {
      let actual = token.header["alg"].map { "is not a string: \($0.encoded())" } ?? "is missing"
      throw OAuthError(
        "malformed_token", .validation, "the ID token's header does not say how it is signed: alg \(actual)")
    }
    let type = token.header["typ"]?.string
    guard type.map(use.allows(type:)) ?? (use.requiredType == nil) else {
      throw .mismatch(
        "malformed_token", .validation, "the token is no ID token (typ)",
        expected: "\"\(use.requiredType ?? "JWT")\"", actual: type.map { "\"\($0)\"" } ?? "none",
        hint: use == .idToken || use.requiredType != nil ? nil : "use another kind")
    }
    return algorithm
  }

  private static func issuer(_ token: JWT, _ metadata: ProviderMetadata, _ key: JWK) throws(OAuthError) -> String {
    let tenant = token.claims["tid"]?.string
    guard let issuer = IssuerRule.issuer(named: metadata.issuer, tenant: tenant) else {
      throw .mismatch(
        "issuer_mismatch", .validation, "the ID token does not say whose it is (tid)",
        expected: "the GUID of a tenant, for the issuer \"\(metadata.issuer)\"",
        actual: tenant.map { "\"\($0)\"" } ?? "none")
    }
    // Tenants may share a metadata document, and a key in it may be for one of them alone.
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
  private static func algorithms(_ metadata: ProviderMetadata, _ use: TokenUse) throws(OAuthError) -> Set<String> {
    let known = JWS.asymmetricAlgorithms
    if let own = use.signedAnswer.flatMap({ metadata.strings("\($0)_signing_alg_values_supported") }) {
      return known.intersection(own)
    }
    guard let listed = metadata.strings("id_token_signing_alg_values_supported"), !listed.isEmpty else { return known }
    let common = known.intersection(listed)
    guard !common.isEmpty else {
      throw .mismatch(
        "algorithm_not_allowed", .validation,
        "the provider signs ID tokens in no way known here (id_token_signing_alg_values_supported)",
        expected: "one of \(known.sorted().joined(separator: ", "))",
        actual: listed.joined(separator: ", "))
    }
    return common
  }
}

/// The user of a token response.
extension IDTokenValidator {
  /// The claims that say who signed in: those of the validated ID token. Without an ID token, the script may say who it
  /// is (`TokenSet.givenSubject`). With client credentials (RFC 6749, 4.4) there is no ID token, and the application is
  /// the subject. `nonce` and `maxAge` are those of the authorization request.
  /// - Parameter acrValues: the kinds of sign-in of which a resource demands one (RFC 9470); nil for any.
  /// - Throws: `missing_id_token`, or why the ID token is not valid; the stage is `validation`.
  package func claims(
    of tokens: TokenSet, policy: String?, nonce: String?, maxAge: Int?, acrValues: [String]? = nil
  ) async throws(OAuthError) -> JSON {
    do throws(OAuthError) {
      if let idToken = tokens.idToken?.reveal() {
        let claims = try await validate(
          idToken, policy, .init(nonce: nonce, maxAge: maxAge, accessToken: tokens.accessToken?.reveal()))
        try compare(claims, tokens.givenSubject)
        try check(claims, acrValues)
        return claims
      }
      guard acrValues == nil else {
        throw OAuthError(
          "missing_id_token", .validation,
          "the token response has no ID token, so nobody knows how the user signed in (acr)",
          hint: "request the scope openid")
      }
      if let subject = tokens.givenSubject {
        let issuer = try? await provider.metadata(policy: policy).issuer
        return [
          "iss": .string(issuer ?? provider.settings.issuer ?? provider.settings.tokenURL ?? ""),
          "sub": .string(subject),
          "name": .string(subject),
        ]
      }
      guard tokens.grantType == "client_credentials" else {
        throw OAuthError(
          "missing_id_token", .validation, "the token response has no ID token, so the user is unknown",
          hint: "request the scope openid; if the provider gives no ID token, give the option subject")
      }
      let clientID = try provider.clientID(.validation)
      let issuer = try await provider.metadata(policy: policy).issuer
      return ["iss": .string(issuer), "sub": .string(clientID), "name": .string(clientID)]
    } catch {
      var error = error
      error.stage = .validation
      throw error
    }
  }

  /// Checks that the ID token is about the user whom the script names.
  private func compare(_ claims: JSON, _ given: String?) throws(OAuthError) {
    guard let given, let actual = claims["sub"]?.string, actual != given else { return }
    throw .mismatch(
      "subject_mismatch", .validation, "another user than the given one has signed in (sub)", expected: "\"\(given)\"",
      actual: "\"\(actual)\"", hint: "leave out subject: the ID token says who signed in")
  }

  /// Checks that the user signed in as a resource demands.
  private func check(_ claims: JSON, _ acrValues: [String]?) throws(OAuthError) {
    guard let acrValues, !acrValues.isEmpty else { return }
    let actual = claims["acr"]?.string
    guard !acrValues.contains(where: { $0 == actual }) else { return }
    throw .mismatch(
      "authentication_class_mismatch", .validation, "the user signed in in another way than the resource demands (acr)",
      expected: acrValues.map { "\"\($0)\"" }.joined(separator: " or "), actual: actual.map { "\"\($0)\"" } ?? "none",
      hint: "the provider does not know acr_values, or the user cannot sign in in this way")
  }
}
