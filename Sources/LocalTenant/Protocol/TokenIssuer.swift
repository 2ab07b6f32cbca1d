import JOSE

/// Whom a token speaks of, and for whom it is.
struct TokenSubject {
  let user: User
  let client: Application
  let address: PolicyAddress
  let authTime: Int
  let nonce: String?
}

/// Makes and signs tokens.
struct TokenIssuer {
  static let lifetime = 3600

  let keys: KeyRing
  let clock: TenantClock
  let issuerForm: TenantConfiguration.IssuerForm

  func idToken(_ subject: TokenSubject, accessToken: String? = nil, code: String? = nil) throws -> String {
    var claims = common(subject, audience: subject.client.id)
    claims["nonce"] = subject.nonce.map(JSON.string)
    claims["at_hash"] = accessToken.map(Self.halfHash)
    claims["c_hash"] = code.map(Self.halfHash)
    claims["idp"] = "LocalAccount"
    return try sign(claims)
  }

  func accessToken(_ subject: TokenSubject, resource: Scope.Resource, permissions: [String]) throws -> String {
    var claims = common(subject, audience: resource.audience)
    claims["azp"] = .string(subject.client.id)
    if !permissions.isEmpty { claims["scp"] = .string(permissions.joined(separator: " ")) }
    return try sign(claims)
  }

  private func common(_ subject: TokenSubject, audience: String) -> [String: JSON] {
    let now = Int64(clock.now)
    var claims: [String: JSON] = [
      "iss": .string(subject.address.issuer(issuerForm)),
      "aud": .string(audience),
      "exp": .integer(now + Int64(Self.lifetime)),
      "nbf": .integer(now),
      "iat": .integer(now),
      "auth_time": .integer(Int64(subject.authTime)),
      "sub": .string(subject.user.id),
      "oid": .string(subject.user.id),
      "name": .string(subject.user.displayName),
      "emails": [.string(subject.user.email)],
      "tfp": .string(subject.address.policyID),
      "ver": "1.0",
      "jti": .string(GUID.random()),
    ]
    // By how much the clock had been moved on when this was issued: see `TenantClock`.
    if clock.advanced != 0 { claims[Self.advancedClaim] = .integer(Int64(clock.advanced)) }
    return claims
  }

  static let advancedClaim = "local_advanced"

  private func sign(_ claims: [String: JSON]) throws -> String {
    let key = try keys.current()
    let header: JSON = ["alg": "RS256", "typ": "JWT", "kid": .string(key.keyID ?? "")]
    return try JWS.sign(Array(JSON.object(claims).encoded().utf8), header: header, key: key)
  }

  /// The left half of the hash (OpenID Connect Core §3.1.3.6).
  private static func halfHash(_ text: String) -> JSON {
    .string(Base64URL.encode(SHA256.hash(text.utf8).prefix(16)))
  }
}
