import JOSE

/// What an ID token must say to be believed (OpenID Connect Core, 3.1.3.7), its signature apart.
struct IDTokenRule {
  /// Clocks may differ by so many seconds.
  static let skew = 300.0

  /// What belongs to the request that the token answers.
  struct Expectation {
    /// Nil when the request had none, as for a refresh.
    var nonce: String?
    var maxAge: Int?
    /// Compared with `at_hash`, where there is one.
    var accessToken: String?
    /// Compared with `c_hash`, where there is one.
    var code: String?
    /// Whether there must be one.
    var requiresHashes = false
  }

  var issuer: String
  var clientID: String
  var policy: String?
  var expected: Expectation
  /// Seconds since 1970.
  var now: Double
  /// What is known to be wrong with this machine's clock.
  var clock: String?

  func check(_ claims: JSON, algorithm: String) throws(OAuthError) {
    try checkParties(claims)
    try checkTimes(claims)
    try checkNonce(claims)
    try checkPolicy(claims)
    try checkHash("at_hash", of: expected.accessToken, "access token", claims, algorithm)
    try checkHash("c_hash", of: expected.code, "code", claims, algorithm)
  }

  private func checkParties(_ claims: JSON) throws(OAuthError) {
    let actual = try string("iss", claims)
    guard actual == issuer else {
      throw mismatch("issuer_mismatch", "the ID token is from another issuer (iss)", issuer, actual)
    }
    let audience = claims["aud"]?.array?.compactMap(\.string) ?? claims["aud"]?.string.map { [$0] } ?? []
    guard !audience.isEmpty else { throw missing("aud") }
    guard audience.contains(clientID) else {
      throw mismatch(
        "audience_mismatch", "the ID token is for another application (aud)", clientID,
        audience.joined(separator: ", "))
    }
    let party = claims["azp"]?.string
    if audience.count > 1, party == nil { throw missing("azp") }
    if let party, party != clientID {
      throw mismatch("audience_mismatch", "the ID token was given to another application (azp)", clientID, party)
    }
    guard try !string("sub", claims).isEmpty else { throw missing("sub") }
  }

  private func checkTimes(_ claims: JSON) throws(OAuthError) {
    let expires = try time("exp", claims)
    guard now < expires + Self.skew else {
      throw timing("token_expired", "the ID token has expired (exp)", "a time after \(now.utc)", expires.utc)
    }
    let issued = try time("iat", claims)
    guard issued <= now + Self.skew else {
      throw timing(
        "token_not_yet_valid", "the ID token is from the future (iat)", "a time before \(now.utc)", issued.utc)
    }
    if let value = claims["nbf"], value != .null {
      let start = try time("nbf", claims)
      guard start <= now + Self.skew else {
        throw timing(
          "token_not_yet_valid", "the ID token is not valid yet (nbf)", "a time before \(now.utc)", start.utc)
      }
    }
    if let maxAge = expected.maxAge {
      let authenticated = try time("auth_time", claims)
      guard now - authenticated <= Double(maxAge) + Self.skew else {
        throw timing(
          "authentication_too_old", "the user signed in too long ago (auth_time)",
          "at most \(maxAge) seconds before \(now.utc)", authenticated.utc)
      }
    }
  }

  private func checkNonce(_ claims: JSON) throws(OAuthError) {
    guard let nonce = expected.nonce else { return }
    let actual = try string("nonce", claims)
    guard actual == nonce else {
      throw mismatch(
        "nonce_mismatch", "the ID token belongs to another sign-in (nonce)", nonce, actual,
        hint: "somebody may have replayed it; sign in again")
    }
  }

  private func checkPolicy(_ claims: JSON) throws(OAuthError) {
    guard let policy, let actual = IDTokenClaims(claims).policy, actual.lowercased() != policy.lowercased() else {
      return
    }
    throw mismatch("policy_mismatch", "the ID token is from another policy (tfp)", policy, actual)
  }

  /// The left half of the hash that the token's algorithm uses (OpenID Connect Core, 3.1.3.6).
  private func checkHash(
    _ claim: String, of value: String?, _ what: String, _ claims: JSON, _ algorithm: String
  ) throws(OAuthError) {
    guard let value, expected.requiresHashes || claims[claim] != nil else { return }
    let actual = try string(claim, claims)
    let hash =
      switch algorithm.suffix(3) {
      case "384": SHA384.hash(value.utf8)
      case "512": SHA512.hash(value.utf8)
      default: SHA256.hash(value.utf8)
      }
    let right = Base64URL.encode(hash.prefix(hash.count / 2))
    guard actual == right else {
      throw mismatch("hash_mismatch", "the ID token belongs to another \(what) (\(claim))", right, actual)
    }
  }

  private func string(_ claim: String, _ claims: JSON) throws(OAuthError) -> String {
    guard let value = claims[claim], value != .null else { throw missing(claim) }
    guard let text = value.string else {
      throw mismatch("malformed_token", "the ID token's \(claim) has a wrong type", "a string", value.encoded())
    }
    return text
  }

  private func time(_ claim: String, _ claims: JSON) throws(OAuthError) -> Double {
    guard let value = claims[claim], value != .null else { throw missing(claim) }
    guard let seconds = value.seconds, seconds.isFinite else {
      throw mismatch("malformed_token", "the ID token's \(claim) has a wrong type", "a number", value.encoded())
    }
    return seconds
  }

  private func missing(_ claim: String) -> OAuthError {
    OAuthError("missing_claim", .validation, "the ID token has no \(claim)", details: ["claim": claim])
  }

  private func mismatch(
    _ code: String, _ what: String, _ expected: String, _ actual: String, hint: String? = nil
  ) -> OAuthError {
    .mismatch(code, .validation, what, expected: "\"\(expected)\"", actual: "\"\(actual)\"", hint: hint)
  }

  private func timing(_ code: String, _ what: String, _ expected: String, _ actual: String) -> OAuthError {
    .mismatch(
      code, .validation, what, expected: expected, actual: actual,
      hint: clock.map { "\($0): set it right" }
        ?? "clocks may differ by \(Int(Self.skew)) seconds; check this machine's clock")
  }
}
