import JOSE
import JSON

/// The rule for the claims of an ID token (OpenID Connect Core, 3.1.3.7) without its signature.
struct IDTokenRule {
  /// OpenID Connect Core, 2.
  private static let longestSubject = 255
  private static let clientHint = "check clientID in the settings"

  struct Expectation {
    /// Nil when the request had none, as for a refresh.
    var nonce: String?
    var maxAge: Int?
    /// Compared with `at_hash`, where there is one.
    var accessToken: String?
    /// Compared with `c_hash`, where there is one.
    var code: String?
    var requiresHashes = false
    /// The claims of the ID token of the sign-in, where the token comes of a refresh (OpenID Connect Core, 12.2).
    var original: JSON?
    var use = TokenUse.idToken
  }

  var token: JWT
  var issuer: String
  var clientID: String
  var policy: String?
  var expected: Expectation
  var now: Double
  /// Seconds by which this machine's clock is ahead of the provider's, where that is known.
  var clockDifference: Double?
  var log: ValidationLog?

  private var claims: JSON { token.claims }

  func check() throws(OAuthError) {
    try checkParties()
    try checkUse()
    try checkTimes()
    if let original = expected.original { try checkContinuity(original) }
    try checkNonce()
    try checkPolicy()
    try checkHash("at_hash", of: expected.accessToken, "access token")
    try checkHash("c_hash", of: expected.code, "code")
  }

  private func checkParties() throws(OAuthError) {
    let actual = try string("iss")
    try compare(actual, issuer, "issuer_mismatch", "the ID token is from another issuer (iss)")
    log?.check("audience", "aud", expected: .string(clientID), actual: claims["aud"])
    let audience = try audience()
    guard audience.contains(clientID) else {
      throw mismatch(
        "audience_mismatch", "the ID token is for another application (aud)", clientID,
        audience.joined(separator: ", "), hint: Self.clientHint)
    }
    guard expected.use == .idToken else { return }
    guard audience.count > 1 || claims["azp"] ?? .null != .null else { return }
    try compare(
      try string("azp"), clientID, "audience_mismatch", "the ID token was given to another application (azp)",
      hint: Self.clientHint)
  }

  private func checkSubject() throws(OAuthError) {
    log?.check("subject", "sub", actual: claims["sub"])
    let subject = try string("sub")
    guard !subject.isEmpty else { throw missing("sub") }
    guard subject.unicodeScalars.count <= Self.longestSubject else {
      throw OAuthError(
        "malformed_token", .validation,
        "the ID token's sub has \(subject.unicodeScalars.count) characters, more than \(Self.longestSubject)")
    }
  }

  private func audience() throws(OAuthError) -> [String] {
    switch claims["aud"] {
    case nil, .null: throw missing("aud")
    case .string(let one)?: return [one]
    case .array(let several)? where !several.isEmpty && several.allSatisfy({ $0.string != nil }):
      return several.compactMap(\.string)
    case let value?: throw wrongType("aud", "a string or an array of strings", value)
    }
  }

  private func checkNonce() throws(OAuthError) {
    guard let nonce = expected.nonce else {
      log?.skip("nonce", "nonce", actual: claims["nonce"])
      return
    }
    log?.check("nonce", "nonce", expected: .string(nonce), actual: claims["nonce"])
    try compare(
      try string("nonce"), nonce, "nonce_mismatch", "the ID token belongs to another sign-in (nonce)",
      hint: "somebody may have replayed it; sign in again")
  }

  private func checkPolicy() throws(OAuthError) {
    // Older tokens name the policy in `acr`.
    let actual =
      claims["tfp"]?.string ?? claims["acr"]?.string.flatMap { $0.lowercased().hasPrefix("b2c_1") ? $0 : nil }
    guard let policy, let actual else {
      log?.skip("policy", "tfp", actual: actual.map { .string($0) })
      return
    }
    log?.check("policy", "tfp", expected: .string(policy), actual: .string(actual))
    guard actual.lowercased() != policy.lowercased() else { return }
    try compare(actual, policy, "policy_mismatch", "the ID token is from another policy (tfp)")
  }

  /// The left half of the hash that the token's algorithm uses (OpenID Connect Core, 3.1.3.6).
  private func checkHash(_ claim: String, of value: String?, _ what: String) throws(OAuthError) {
    let name = "\(what) hash"
    guard let value, expected.requiresHashes || claims[claim] != nil else {
      log?.skip(name, claim, actual: claims[claim])
      return
    }
    log?.check(name, claim, actual: claims[claim])
    let actual = try string(claim)
    let algorithm = token.header["alg"]?.string.flatMap(SignatureAlgorithm.init) ?? .rs256
    try compare(
      actual, algorithm.leftHalfHash(of: value), "hash_mismatch", "the ID token belongs to another \(what) (\(claim))")
  }

  private func string(_ claim: String) throws(OAuthError) -> String {
    guard let value = claims[claim], value != .null else { throw missing(claim) }
    guard let text = value.string else { throw wrongType(claim, "a string", value) }
    return text
  }

  private func wrongType(_ claim: String, _ expected: String, _ actual: JSON) -> OAuthError {
    .mismatch(
      "malformed_token", .validation, "the ID token's \(claim) has a wrong type", expected: expected,
      actual: actual.encoded())
  }

  private func missing(_ claim: String) -> OAuthError {
    OAuthError("missing_claim", .validation, "the ID token has no \(claim)", details: ["claim": claim])
  }

  private func compare(
    _ actual: String, _ expected: String, _ code: String, _ what: String, hint: String? = nil
  ) throws(OAuthError) {
    if actual != expected { throw mismatch(code, what, expected, actual, hint: hint) }
  }

  private func mismatch(
    _ code: String, _ what: String, _ expected: String, _ actual: String, hint: String? = nil
  ) -> OAuthError {
    .mismatch(code, .validation, what, expected: "\"\(expected)\"", actual: "\"\(actual)\"", hint: hint)
  }

  /// Clocks may differ by so many seconds.
  static let skew = 300.0

  private func checkTimes() throws(OAuthError) {
    let now = JSON.integer(Int64(now))
    log?.check("expiry", "exp", expected: now, actual: claims["exp"])
    // Logout tokens of the drafts before the standard have none.
    if let expires = try expected.use.isWithoutExpiry ? optionalTime("exp") : time("exp") {
      try check(expires, "token_expired", "the ID token has expired (exp)", "a time after \(self.now.utc)") {
        $0 < expires + Self.skew
      }
    }
    log?.check("issued at", "iat", expected: now, actual: claims["iat"])
    let needsIssueTime = [.idToken, .logoutToken, .introspection].contains(expected.use)
    if let issued = try needsIssueTime ? time("iat") : optionalTime("iat") {
      try checkIsPast("the ID token is from the future (iat)", issued)
    }
    if claims["nbf"] != nil { log?.check("not before", "nbf", expected: now, actual: claims["nbf"]) }
    if let start = try optionalTime("nbf") { try checkIsPast("the ID token is not valid yet (nbf)", start) }
    guard let maxAge = expected.maxAge else {
      log?.skip("sign-in time", "auth_time", actual: claims["auth_time"])
      return
    }
    log?.check("sign-in time", "auth_time", expected: now, actual: claims["auth_time"])
    let authenticated = try time("auth_time")
    try checkIsPast("the user signed in in the future (auth_time)", authenticated)
    try check(
      authenticated, "authentication_too_old", "the user signed in too long ago (auth_time)",
      "at most \(maxAge) seconds before \(self.now.utc)"
    ) { $0 - authenticated <= Double(maxAge) + Self.skew }
  }

  private func checkIsPast(_ what: String, _ time: Double) throws(OAuthError) {
    try check(time, "token_not_yet_valid", what, "a time before \(now.utc)") { time <= $0 + Self.skew }
  }

  /// - Parameter isRight: also asked about the provider's time, to tell a wrong clock from a wrong token.
  private func check(
    _ actual: Double, _ code: String, _ what: String, _ expected: String, isRight: (Double) -> Bool
  ) throws(OAuthError) {
    guard !isRight(now) else { return }
    var hint = "clocks may differ by \(Int(Self.skew)) seconds; check this machine's clock"
    if let clockDifference, isRight(now - clockDifference),
      let sentence = ClockComparison.sentence(difference: clockDifference)
    {
      hint = "\(sentence); set it right"
    }
    throw .mismatch(code, .validation, what, expected: expected, actual: actual.utc, hint: hint)
  }

  private func optionalTime(_ claim: String) throws(OAuthError) -> Double? {
    claims[claim] ?? .null == .null ? nil : try time(claim)
  }

  /// A NumericDate, which is a number (RFC 7519, 2).
  private func time(_ claim: String) throws(OAuthError) -> Double {
    switch claims[claim] {
    case nil, .null: throw missing(claim)
    case .integer(let seconds): return Double(seconds)
    case .number(let seconds) where seconds.isFinite: return seconds
    case let value?: throw wrongType(claim, "a number", value)
    }
  }

  private static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

  private func checkUse() throws(OAuthError) {
    switch expected.use {
    case .idToken, .userinfo: try checkSubject()
    case .logoutToken: try checkLogout()
    case .jarm, .jwt, .introspection: break
    }
  }

  private func checkLogout() throws(OAuthError) {
    _ = try string("jti")
    if claims["sid"] ?? .null == .null { try checkSubject() }
    guard claims["events"]?[Self.logoutEvent]?.object != nil else {
      throw mismatch(
        "malformed_token", "the ID token is about another event (events)", Self.logoutEvent,
        claims["events"]?.encoded() ?? "none")
    }
    guard claims["nonce"] ?? .null == .null else {
      throw OAuthError("malformed_token", .validation, "the ID token has a nonce, which it must not have")
    }
  }

  /// Checks that a refreshed ID token goes on with the sign-in (OpenID Connect Core, 12.2): same issuer, subject, party and
  /// time of sign-in, the nonce of the sign-in if any, and not issued before it.
  private func checkContinuity(_ original: JSON) throws(OAuthError) {
    for (claim, code, what) in [
      ("iss", "issuer_mismatch", "another issuer"), ("sub", "subject_mismatch", "another user"),
      ("azp", "audience_mismatch", "another application"), ("nonce", "nonce_mismatch", "another sign-in"),
      ("auth_time", "authentication_time_mismatch", "another time of sign-in"),
    ] {
      guard let actual = claims[claim], actual != .null else { continue }
      // A sign-in without nonce answers none; other claims may be new.
      let before = original[claim] ?? .null
      if before == .null, claim != "nonce" { continue }
      log?.check("as at sign-in", claim, expected: before, actual: actual)
      guard isSame(actual, before) else {
        throw .mismatch(
          code, .validation, "the refreshed ID token is for \(what) (\(claim))", expected: before.encoded(),
          actual: actual.encoded(), hint: "the tokens were not used; sign in again, and tell the provider")
      }
    }
    guard let issued = claims["iat"]?.seconds, let signedIn = original["iat"]?.seconds else { return }
    log?.check("issued after sign-in", "iat", expected: original["iat"], actual: claims["iat"])
    guard issued >= signedIn - Self.skew else {
      throw .mismatch(
        "token_too_old", .validation, "the refreshed ID token was issued before the sign-in (iat)",
        expected: "a time after \(signedIn.utc)", actual: issued.utc,
        hint: "the tokens were not used; sign in again, and tell the provider")
    }
  }

  private func isSame(_ one: JSON, _ other: JSON) -> Bool {
    if let first = one.seconds, let second = other.seconds { return first == second }
    return one == other
  }
}

extension JSON {
  /// A NumericDate (RFC 7519, 2), also one written as a string.
  var seconds: Double? {
    if case .number(let value) = self { return value }
    return lenientInteger.map(Double.init)
  }
}
