import JSON

extension IDTokenRule {
  private static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

  /// The claims that the use of the token asks for, besides issuer, audience and times.
  func checkUse(_ claims: JSON) throws(OAuthError) {
    switch expected.use {
    case .idToken: try checkSubject(claims)
    case .logoutToken: try checkLogout(claims)
    case .jarm, .jwt: break
    }
  }

  private func checkLogout(_ claims: JSON) throws(OAuthError) {
    _ = try string("jti", claims)
    if claims["sid"] ?? .null == .null { try checkSubject(claims) }
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
  func checkContinuity(_ claims: JSON, _ original: JSON) throws(OAuthError) {
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
