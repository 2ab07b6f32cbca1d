import Crypto
import JOSE
import JSON

struct TokenSubject {
  let user: User
  let client: Application
  let address: PolicyAddress
  let event: SignInEvent
  let nonce: String?
  /// The family, by which access tokens can be revoked.
  let family: String
}

/// How and when a user signed in. Refreshed tokens keep these claims.
struct SignInEvent {
  let authTime: Int
  /// The session, for applications with a logout URI.
  var sid: String?
  /// `TokenIssuer.secondFactorClass`, or nil if the user used only a password.
  var acr: String?
  /// The tenant's elapsed time at the sign-in, if it differs from `authTime`; see `TenantClock`.
  var opened: Int?
}

struct TokenIssuer {
  let keys: KeyRing
  let clock: TenantClock
  let issuerForm: TenantConfiguration.IssuerForm
  let behavior: TenantBehavior

  func issuer(of address: PolicyAddress) -> String { address.issuer(issuerForm) }

  func idToken(_ subject: TokenSubject, accessToken: String? = nil, code: String? = nil) throws -> String {
    let algorithm = try keys.current().signingAlgorithm
    var claims = common(subject.address, audience: .string(subject.client.id))
    add(subject, to: &claims)
    claims["sid"] = subject.event.sid.map(JSON.string)
    claims["nonce"] = subject.nonce.map(JSON.string)
    claims["at_hash"] = accessToken.map { .string(algorithm.halfHash($0)) }
    claims["c_hash"] = code.map { .string(algorithm.halfHash($0)) }
    if subject.address.isExternalID {
      // The attributes of a sign-up, except the name, which has a claim of its own.
      for (name, value) in subject.user.attributes where name != "displayName" { claims[name] = .string(value) }
    } else {
      claims["idp"] = "LocalAccount"
    }
    return try sign(claims)
  }

  func accessToken(
    _ subject: TokenSubject, audience: JSON, permissions: [String], details: JSON? = nil,
    confirmation: Confirmation = Confirmation(), actor: JSON? = nil
  ) throws -> String {
    var claims = common(subject.address, audience: audience)
    add(subject, to: &claims)
    claims["azp"] = .string(subject.client.id)
    if !permissions.isEmpty { claims["scp"] = .string(permissions.joined(separator: " ")) }
    claims[Self.familyClaim] = .string(subject.family)
    if let opened = subject.event.opened, opened != subject.event.authTime {
      claims[Self.signInClaim] = .integer(Int64(opened))
    }
    claims["authorization_details"] = details
    claims["cnf"] = confirmation.json
    claims["act"] = actor
    claims["may_act"] = behavior.actor.map { ["sub": .string($0)] }
    return try sign(claims)
  }

  func accessToken(
    application: Application, _ address: PolicyAddress, audience: JSON = .string(Contoso.tasksAPI),
    details: JSON? = nil, confirmation: Confirmation = Confirmation()
  ) throws -> String {
    var claims = common(address, audience: audience)
    claims["sub"] = .string(application.id)
    claims["azp"] = .string(application.id)
    claims["roles"] = [.string(Contoso.taskRole)]
    claims["authorization_details"] = details
    claims["cnf"] = confirmation.json
    return try sign(claims)
  }

  private func common(_ address: PolicyAddress, audience: JSON) -> [String: JSON] {
    let now = Int64(clock.now)
    var claims: [String: JSON] = [
      "iss": .string(issuer(of: address)),
      "aud": audience,
      "exp": .integer(now + Int64(behavior.accessTokenLifetime)),
      "nbf": .integer(now),
      "iat": .integer(now),
      "ver": address.isExternalID ? "2.0" : "1.0",
      "jti": .string(GUID.random()),
    ]
    if address.isExternalID { claims["tid"] = .string(Contoso.id) } else { claims["tfp"] = .string(address.policyID) }
    // The claim has the seconds by which the clock was ahead when the token was issued; see `TenantClock`.
    if clock.advanced != 0 { claims[Self.advancedClaim] = .integer(Int64(clock.advanced)) }
    return claims
  }

  private func add(_ subject: TokenSubject, to claims: inout [String: JSON]) {
    claims["auth_time"] = .integer(Int64(subject.event.authTime))
    claims["acr"] = subject.event.acr.map(JSON.string)
    claims["sub"] = .string(subject.user.id)
    claims["oid"] = .string(subject.user.id)
    claims["name"] = .string(subject.user.displayName)
    if subject.address.isExternalID {
      claims["preferred_username"] = .string(subject.user.email)
      claims["email"] = .string(subject.user.email)
    } else {
      claims["emails"] = [.string(subject.user.email)]
    }
  }

  /// The value of `acr` for a sign-in with a second factor, and the value of `acr_values` that requests one.
  static let secondFactorClass = "mfa"
  static let advancedClaim = "local_advanced"
  static let signInClaim = "local_signed_in"
  static let familyClaim = "local_grant"

  func sign(_ claims: [String: JSON], type: String = "JWT") throws -> String {
    let key = try keys.current()
    let header: JSON = [
      "alg": .string(key.signingAlgorithm.rawValue), "typ": .string(type), "kid": .string(key.keyID ?? ""),
    ]
    return try JWS.sign(Array(JSON.object(claims).encoded().utf8), header: header, key: key)
  }
}

/// The account information that Microsoft's libraries need besides tokens: JSON in base64url.
enum AccountInfo {
  static func profile(_ user: User) -> String {
    encoded([
      "ver": "1.0", "tid": .string(Contoso.id), "sub": nil, "name": .string(user.displayName),
      "preferred_username": .string(user.email), "idp": nil,
    ])
  }

  /// The value that Microsoft's libraries use to identify an account.
  static func client(_ user: User, _ address: PolicyAddress) -> String {
    encoded([
      "uid": .string(address.isExternalID ? user.id : "\(user.id)-\(address.policyID)"), "utid": .string(Contoso.id),
    ])
  }

  private static func encoded(_ json: JSON) -> String { Base64URL.encode(json.encoded().utf8) }
}
