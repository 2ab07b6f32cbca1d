import JOSE
import JSON

/// The rule for the claims of an ID token (OpenID Connect Core, 3.1.3.7) without its signature.
struct IDTokenRule {
  /// OpenID Connect Core, 2.
  private static let longestSubject = 255
  private static let clientHint = "check clientID in the settings"

  /// The values of the request that the token answers.
  struct Expectation {
    /// Nil when the request had none, as for a refresh.
    var nonce: String?
    var maxAge: Int?
    /// Compared with `at_hash`, where there is one.
    var accessToken: String?
    /// Compared with `c_hash`, where there is one.
    var code: String?
    /// True if both hashes must be there.
    var requiresHashes = false
    /// The claims of the ID token of the sign-in, where the token comes of a refresh (OpenID Connect Core, 12.2).
    var original: JSON?
    /// The use of the token.
    var use = TokenUse.idToken
  }

  var issuer: String
  var clientID: String
  var policy: String?
  var expected: Expectation
  /// Seconds since 1970.
  var now: Double
  /// Seconds by which this machine's clock is ahead of the provider's, where that is known.
  var clockDifference: Double?
  /// Notes what is checked; nil when nobody wants to know.
  var log: ValidationLog?

  func check(_ claims: JSON, algorithm: String) throws(OAuthError) {
    try checkParties(claims)
    try checkUse(claims)
    try checkTimes(claims)
    if let original = expected.original { try checkContinuity(claims, original) }
    try checkNonce(claims)
    try checkPolicy(claims)
    try checkHash("at_hash", of: expected.accessToken, "access token", claims, algorithm)
    try checkHash("c_hash", of: expected.code, "code", claims, algorithm)
  }

  private func checkParties(_ claims: JSON) throws(OAuthError) {
    let actual = try string("iss", claims)
    try compare(actual, issuer, "issuer_mismatch", "the ID token is from another issuer (iss)")
    log?.check("audience", "aud", expected: .string(clientID), actual: claims["aud"])
    let audience = try audience(claims)
    guard audience.contains(clientID) else {
      throw mismatch(
        "audience_mismatch", "the ID token is for another application (aud)", clientID,
        audience.joined(separator: ", "), hint: Self.clientHint)
    }
    guard expected.use == .idToken else { return }
    guard audience.count > 1 || claims["azp"] ?? .null != .null else { return }
    try compare(
      try string("azp", claims), clientID, "audience_mismatch", "the ID token was given to another application (azp)",
      hint: Self.clientHint)
  }

  func checkSubject(_ claims: JSON) throws(OAuthError) {
    log?.check("subject", "sub", actual: claims["sub"])
    let subject = try string("sub", claims)
    guard !subject.isEmpty else { throw missing("sub") }
    guard subject.unicodeScalars.count <= Self.longestSubject else {
      throw OAuthError(
        "malformed_token", .validation,
        "the ID token's sub has \(subject.unicodeScalars.count) characters, more than \(Self.longestSubject)")
    }
  }

  /// One audience as a string, or several in an array.
  private func audience(_ claims: JSON) throws(OAuthError) -> [String] {
    switch claims["aud"] {
    case nil, .null: throw missing("aud")
    case .string(let one)?: return [one]
    case .array(let several)? where !several.isEmpty && several.allSatisfy({ $0.string != nil }):
      return several.compactMap(\.string)
    case let value?: throw wrongType("aud", "a string or an array of strings", value)
    }
  }

  private func checkNonce(_ claims: JSON) throws(OAuthError) {
    guard let nonce = expected.nonce else {
      log?.skip("nonce", "nonce", actual: claims["nonce"])
      return
    }
    log?.check("nonce", "nonce", expected: .string(nonce), actual: claims["nonce"])
    try compare(
      try string("nonce", claims), nonce, "nonce_mismatch", "the ID token belongs to another sign-in (nonce)",
      hint: "somebody may have replayed it; sign in again")
  }

  private func checkPolicy(_ claims: JSON) throws(OAuthError) {
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
  private func checkHash(
    _ claim: String, of value: String?, _ what: String, _ claims: JSON, _ algorithm: String
  ) throws(OAuthError) {
    let name = "\(what) hash"
    guard let value, expected.requiresHashes || claims[claim] != nil else {
      log?.skip(name, claim, actual: claims[claim])
      return
    }
    log?.check(name, claim, actual: claims[claim])
    let actual = try string(claim, claims)
    let hash =
      switch algorithm.suffix(3) {
      case "384": SHA384.hash(value.utf8)
      case "512": SHA512.hash(value.utf8)
      default: SHA256.hash(value.utf8)
      }
    try compare(
      actual, Base64URL.encode(hash.prefix(hash.count / 2)), "hash_mismatch",
      "the ID token belongs to another \(what) (\(claim))")
  }

  func string(_ claim: String, _ claims: JSON) throws(OAuthError) -> String {
    guard let value = claims[claim], value != .null else { throw missing(claim) }
    guard let text = value.string else { throw wrongType(claim, "a string", value) }
    return text
  }

  func wrongType(_ claim: String, _ expected: String, _ actual: JSON) -> OAuthError {
    .mismatch(
      "malformed_token", .validation, "the ID token's \(claim) has a wrong type", expected: expected,
      actual: actual.encoded())
  }

  func missing(_ claim: String) -> OAuthError {
    OAuthError("missing_claim", .validation, "the ID token has no \(claim)", details: ["claim": claim])
  }

  private func compare(
    _ actual: String, _ expected: String, _ code: String, _ what: String, hint: String? = nil
  ) throws(OAuthError) {
    if actual != expected { throw mismatch(code, what, expected, actual, hint: hint) }
  }

  func mismatch(_ code: String, _ what: String, _ expected: String, _ actual: String, hint: String? = nil) -> OAuthError
  { .mismatch(code, .validation, what, expected: "\"\(expected)\"", actual: "\"\(actual)\"", hint: hint) }
}
