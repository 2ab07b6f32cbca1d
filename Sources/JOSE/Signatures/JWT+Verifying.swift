import Core
package import JSON

extension JWT {
  /// The values that a signed JWT must have. A value that is nil is not compared.
  package struct Expectation: Sendable {
    package var issuer: String?
    package var subject: String?
    package var audience: String?
    package var nonce: String?
    /// `typ` of the header, which may have `application/` in front (RFC 8725, 3.11).
    package var type: String?
    /// The values of `alg`; nil for all that fit the keys.
    package var algorithms: Set<String>?
    /// True if the token must have `exp`.
    package var expires = false
    /// The seconds since `iat` that the token may have.
    package var maximumAge: Double?
    /// The seconds that the clocks may differ.
    package var skew = 60.0
    /// Unix seconds.
    package var now: Double

    package init(now: Double) { self.now = now }
  }

  /// Verifies the signature with one of the keys, and what is expected.
  /// - Returns: the header and the payload.
  package static func verify(
    _ compact: String, keys: [JWK], expected: Expectation
  ) throws(JOSEError) -> (header: JSON, payload: [UInt8]) {
    let parts = try CompactToken(compact, parts: 3)
    let header = try parts.header()
    let allowed = expected.algorithms ?? Set(SignatureAlgorithm.allCases.map(\.rawValue))
    let name = header["alg"]?.string ?? "none"
    let possible = keys.filter { key in
      SignatureAlgorithm(rawValue: name)?.keyType == key.type && key.isForSignatures
    }
    let keyID = header["kid"]?.string
    let named = possible.filter { keyID != nil && $0.keyID == keyID }
    let candidates = named.isEmpty ? possible : named
    var failure: JOSEError?
    for key in candidates {
      do throws(JOSEError) {
        let payload = try JWS.verify(compact, key: key, algorithms: allowed)
        try expected.check(header, payload)
        return (header, payload)
      } catch {
        // Another key may be the right one only where this one did not make the signature.
        guard error.kind == .signatureMismatch || error.kind == .invalidKey else { throw error }
        failure = failure ?? error
      }
    }
    if let failure, named.count == 1 || candidates.count == 1 { throw failure }
    // For an algorithm that is never allowed, this says so.
    if let key = keys.first, !allowed.contains(name) || name == "none" {
      _ = try JWS.verify(compact, key: key, algorithms: allowed)
    }
    throw JOSEError(
      .keyNotFound,
      candidates.isEmpty
        ? "none of the \(keys.count) keys can verify the algorithm \"\(name)\" of the token"
        : "none of the \(candidates.count) keys made the token's signature (kid \(keyID.map { "\"\($0)\"" } ?? "missing"))",
      hint: "give the current public keys of the issuer")
  }
}

extension JWT.Expectation {
  fileprivate func check(_ header: JSON, _ payload: [UInt8]) throws(JOSEError) {
    if let type {
      let actual = header["typ"]?.string.map { $0.lowercased() }
      guard [type.lowercased(), "application/\(type.lowercased())"].contains(actual) else {
        throw mismatch(.typeMismatch, "the token is of another type (typ)", type, header["typ"])
      }
    }
    let claims = (try? JSON(parsing: payload)) ?? .null
    guard claims.object != nil else {
      guard issuer == nil, subject == nil, audience == nil, nonce == nil, maximumAge == nil, !expires else {
        throw JOSEError(.malformed, "the token's payload is not a JSON object, so it has no claims")
      }
      return
    }
    try compare("iss", claims, issuer, .issuerMismatch, "the token is from another issuer (iss)")
    try compare("sub", claims, subject, .subjectMismatch, "the token is about another subject (sub)")
    try compare("nonce", claims, nonce, .nonceMismatch, "the token is for another request (nonce)")
    if let audience {
      let all = claims["aud"]?.array ?? claims["aud"].map { [$0] } ?? []
      guard !all.isEmpty else { throw missing("aud") }
      guard all.contains(.string(audience)) else {
        throw mismatch(.audienceMismatch, "the token is for another audience (aud)", audience, claims["aud"])
      }
    }
    try checkTimes(claims)
  }

  private func checkTimes(_ claims: JSON) throws(JOSEError) {
    let expiry = try time("exp", claims)
    if expires, expiry == nil { throw missing("exp") }
    if let expiry, now - skew >= expiry {
      throw JOSEError(.expired, "the token expired \(UnixTime.span(now - expiry)) ago (exp)")
    }
    if let start = try time("nbf", claims), now + skew < start {
      throw JOSEError(.notYetValid, "the token is valid only in \(UnixTime.span(start - now)) (nbf)")
    }
    let issued = try time("iat", claims)
    if let issued, now + skew < issued {
      throw JOSEError(.notYetValid, "the token was made in the future (iat), in \(UnixTime.span(issued - now))")
    }
    guard let maximumAge else { return }
    guard let issued else { throw missing("iat") }
    guard now - issued <= maximumAge + skew else {
      throw JOSEError(
        .expired,
        "the token was made \(UnixTime.span(now - issued)) ago (iat); at most \(UnixTime.span(maximumAge)) are allowed")
    }
  }

  private func time(_ claim: String, _ claims: JSON) throws(JOSEError) -> Double? {
    switch claims[claim] {
    case nil, .null?: return nil
    case .integer(let seconds)?: return Double(seconds)
    // Beyond that, seconds cannot be counted as an integer.
    case .number(let seconds)? where abs(seconds) < 0x1p53: return seconds
    case let other?: throw JOSEError(.malformed, "the token's \(claim) is not a time in seconds: \(other.encoded())")
    }
  }

  private func compare(
    _ claim: String, _ claims: JSON, _ expected: String?, _ kind: JOSEError.Kind, _ what: String
  ) throws(JOSEError) {
    guard let expected else { return }
    guard let actual = claims[claim], actual != .null else { throw missing(claim) }
    guard actual.string == expected else { throw mismatch(kind, what, expected, actual) }
  }

  private func missing(_ claim: String) -> JOSEError { JOSEError(.missingClaim, "the token has no \(claim)") }

  private func mismatch(_ kind: JOSEError.Kind, _ what: String, _ expected: String, _ actual: JSON?) -> JOSEError {
    JOSEError(kind, "\(what): expected \"\(expected)\", got \(actual?.encoded() ?? "none")")
  }
}
