import JOSE
package import JSON

/// A profile of OAuth 2.0 that the tenant enforces.
package enum TenantProfile: String, Sendable, CaseIterable {
  /// The draft of OAuth 2.1.
  case oauth21 = "oauth2.1"
  /// The FAPI 2.0 Security Profile (final).
  case fapi2

  /// The features that the profile requires of every client.
  var requirements: Set<TenantRequirement> { self == .fapi2 ? [.par] : [] }

  /// True if a token must be bound to a key or to a certificate (FAPI 2.0 §5.3.2.1).
  var bindsTokens: Bool { self == .fapi2 }

  /// The lifetime of codes in seconds (FAPI 2.0 §5.3.2.2).
  var codeLifetime: Int { self == .fapi2 ? 60 : 600 }

  /// True if each refresh returns a new refresh token. FAPI 2.0 (§5.3.2.1) has no rotation; OAuth 2.1 (§4.3) has it for public
  /// clients.
  var rotatesRefreshTokens: Bool { self != .fapi2 }

  private static let fapi2Algorithms = ["PS256", "ES256", "EdDSA"]

  /// The signature algorithms of clients and of the tenant (FAPI 2.0 §5.4.1); nil for all.
  var algorithms: [String]? { self == .fapi2 ? Self.fapi2Algorithms : nil }

  // MARK: Checks

  /// Checks the client of a request to an endpoint, which has been authenticated (FAPI 2.0 §5.3.2.1).
  func check(_ client: Application, assertion: String?, issuer: String) throws(ProtocolError) {
    guard self == .fapi2, client.method?.isCertificate != true else { return }
    guard client.method == .keyJWT, let assertion, let token = try? JWT(decoding: assertion) else {
      throw ProtocolError(
        "invalid_client",
        "The client must authenticate by private_key_jwt: or by a certificate: FAPI 2.0 has no public clients and no secrets."
      )
    }
    try check(token, "client assertion", "invalid_client")
    guard token.claims["aud"] == .string(issuer) else {
      throw ProtocolError(
        "invalid_client",
        "The aud of the client assertion must be the issuer '\(issuer)' alone, as a string (FAPI 2.0).")
    }
  }

  /// Checks the algorithm of a token of a client.
  func check(_ token: JWT, _ noun: String, _ error: String) throws(ProtocolError) {
    let algorithm = token.header["alg"]?.string ?? "none"
    guard let algorithms, !algorithms.contains(algorithm) else { return }
    throw ProtocolError(
      error,
      "The \(noun) is signed with '\(algorithm)'; FAPI 2.0 allows \(algorithms.joined(separator: ", ")) (5.4.1).")
  }

  /// Checks an authorization request.
  func check(_ request: AuthorizationRequest) throws(ProtocolError) {
    let forbidden: Set = self == .fapi2 ? ["token", "id_token"] : ["token"]
    guard request.responseType.isDisjoint(with: forbidden) else {
      throw ProtocolError(
        "unsupported_response_type",
        "The response_type '\(request.parameters["response_type"] ?? "")' is not allowed in \(title).")
    }
    guard !request.wantsCode || request.challenge != nil else {
      throw ProtocolError("invalid_request", "The request must have a code_challenge, which \(title) requires.")
    }
    if self == .fapi2, request.challenge?.method != "S256" {
      throw ProtocolError("invalid_request", "The code_challenge_method must be S256, which FAPI 2.0 requires.")
    }
  }

  func check(_ grant: GrantType?) throws(ProtocolError) {
    guard grant == .password else { return }
    throw ProtocolError("unsupported_grant_type", "The grant_type 'password' is not allowed in \(title).")
  }

  private var title: String { self == .fapi2 ? "FAPI 2.0" : "OAuth 2.1" }

  // MARK: Metadata

  /// The discovery document under the profile: it lists only what the tenant still takes.
  func adapted(_ document: JSON, signing: String) -> JSON {
    var members = document.object ?? [:]
    let forbiddenTypes: Set = self == .fapi2 ? ["token", "id_token"] : ["token"]
    func keep(_ name: String, _ isKept: (String) -> Bool) {
      guard let list = members[name]?.array else { return }
      members[name] = .array(list.filter { $0.string.map(isKept) ?? false })
    }
    keep("response_types_supported") { Set($0.split(separator: " ").map(String.init)).isDisjoint(with: forbiddenTypes) }
    keep("grant_types_supported") { !["password", "implicit"].contains($0) }
    guard let algorithms else { return .object(members) }
    for name in ["token_endpoint_auth_methods_supported", "revocation_endpoint_auth_methods_supported"] {
      keep(name) { ClientMethod(rawValue: $0).map { $0 == .keyJWT || $0.isCertificate } ?? false }
    }
    for name in [
      "token_endpoint_auth_signing_alg_values_supported", "revocation_endpoint_auth_signing_alg_values_supported",
      "dpop_signing_alg_values_supported",
    ] {
      keep(name, algorithms.contains)
    }
    members["id_token_signing_alg_values_supported"] = [.string(signing)]
    keep("code_challenge_methods_supported") { $0 == "S256" }
    return .object(members)
  }
}

extension LocalTenant {
  /// Enforces a profile from now on; nil for none. Codes and refresh tokens follow the profile, and the tenant signs with an
  /// algorithm that the profile allows.
  package func setProfile(_ profile: TenantProfile?) throws(TenantError) {
    try withEngine { try $0.setProfile(profile) }
  }

  /// The profile that the tenant enforces.
  package var profile: TenantProfile? { try? withEngine { $0.behavior.profile } }

  /// The client with a key, for profiles without public clients.
  package static var keyApplication: Application { Contoso.keyApplication }

  /// The private key of `keyApplication` as a JSON Web Key. Like the secret of the web application it is published: it
  /// proves nothing outside of tests.
  package static var clientKey: JSON { Contoso.clientKey }

  /// The name of `clientKey` in the settings of a run with this tenant.
  package static let clientKeyName = "local-tenant"
}

extension Engine {
  func setProfile(_ profile: TenantProfile?) throws {
    behavior.profile = profile
    behavior.rotatesRefreshTokens = profile?.rotatesRefreshTokens ?? true
    guard let algorithms = profile?.algorithms, try !algorithms.contains(keys.algorithm.rawValue) else { return }
    try keys.rotate(to: .es256)
    bearer.forget()
  }
}

extension Contoso {
  static let keyApplication = Application(
    id: "3e8f21d7-6b0a-4c95-8d43-f7a2c06b19e5", name: "Local tasks app with a key", secret: nil, method: .keyJWT,
    keys: [.object((clientKey.object ?? [:]).filter { $0.key != "d" })])

  static let clientKey: JSON = [
    "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "local-tenant",
    "x": "C-1b6uEIP7ly9NMPelYPfsUMBZNz3SKSUSGLhrLUtXQ", "y": "F1NouGEtpVhpBcN7jDWsHhQp6vF0Oe3E_ai789QUxF0",
    "d": "j5jWU_jkqrm_UTzOo-BL3JGt7kFB-YSRWyr67iineXA",
  ]
}
