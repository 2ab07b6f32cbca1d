import JSON

extension IDTokenRule {
  /// Clocks may differ by so many seconds.
  static let skew = 300.0

  func checkTimes(_ claims: JSON) throws(OAuthError) {
    let now = JSON.integer(Int64(now))
    log?.check("expiry", "exp", expected: now, actual: claims["exp"])
    // Logout tokens of the drafts before the standard have none.
    if let expires = try expected.use == .logoutToken ? optionalTime("exp", claims) : time("exp", claims) {
      try check(expires, "token_expired", "the ID token has expired (exp)", "a time after \(self.now.utc)") {
        $0 < expires + Self.skew
      }
    }
    log?.check("issued at", "iat", expected: now, actual: claims["iat"])
    let needsIssueTime = [.idToken, .logoutToken].contains(expected.use)
    if let issued = try needsIssueTime ? time("iat", claims) : optionalTime("iat", claims) {
      try checkIsPast("the ID token is from the future (iat)", issued)
    }
    if claims["nbf"] != nil { log?.check("not before", "nbf", expected: now, actual: claims["nbf"]) }
    if let start = try optionalTime("nbf", claims) { try checkIsPast("the ID token is not valid yet (nbf)", start) }
    guard let maxAge = expected.maxAge else {
      log?.skip("sign-in time", "auth_time", actual: claims["auth_time"])
      return
    }
    log?.check("sign-in time", "auth_time", expected: now, actual: claims["auth_time"])
    let authenticated = try time("auth_time", claims)
    try checkIsPast("the user signed in in the future (auth_time)", authenticated)
    try check(
      authenticated, "authentication_too_old", "the user signed in too long ago (auth_time)",
      "at most \(maxAge) seconds before \(self.now.utc)"
    ) { $0 - authenticated <= Double(maxAge) + Self.skew }
  }

  private func checkIsPast(_ what: String, _ time: Double) throws(OAuthError) {
    try check(time, "token_not_yet_valid", what, "a time before \(now.utc)") { time <= $0 + Self.skew }
  }

  /// - Parameter isRight: true if the claim is in order at a time; also asked about the time by the provider's clock, to
  ///   tell a clock that is wrong from a token that is.
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

  private func optionalTime(_ claim: String, _ claims: JSON) throws(OAuthError) -> Double? {
    claims[claim] ?? .null == .null ? nil : try time(claim, claims)
  }

  /// A NumericDate, which is a number (RFC 7519, 2).
  private func time(_ claim: String, _ claims: JSON) throws(OAuthError) -> Double {
    switch claims[claim] {
    case nil, .null: throw missing(claim)
    case .integer(let seconds): return Double(seconds)
    case .number(let seconds) where seconds.isFinite: return seconds
    case let value?: throw wrongType(claim, "a number", value)
    }
  }
}

extension JSON {
  /// A NumericDate (RFC 7519, 2), also one written as a string.
  var seconds: Double? {
    if case .number(let value) = self { return value }
    return lenientInteger.map(Double.init)
  }
}
