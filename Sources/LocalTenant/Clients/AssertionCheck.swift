import JOSE
import JSON

/// The check of a client assertion (RFC 7523 §3).
struct AssertionCheck {
  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  static let secretAlgorithms = ["HS256", "HS384", "HS512"]
  static let keyAlgorithms = ["ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "EdDSA"]
  /// The seconds that the clocks may differ.
  private static let skew = 60
  private static let longestLife = 3600

  let client: Application
  let audiences: [String]
  let registry: ClientRegistry

  private var now: Int { registry.clock.elapsed }

  func verify(_ assertion: String) throws(ProtocolError) {
    let claims = try signedClaims(assertion)
    for name in ["iss", "sub"] where claims[name]?.string != client.id {
      throw refusal("its \(name) is not the client's ID")
    }
    let given = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
    guard given.contains(where: audiences.contains) else {
      throw refusal("its aud is '\(given.joined(separator: " "))', not '\(audiences.joined(separator: "' or '"))'")
    }
    if let name = claims.wrongDate { throw refusal("its \(name) is not a number") }
    guard let expires = claims["exp"]?.numericDate else { throw refusal("it has no exp") }
    guard now < expires + Self.skew else { throw refusal("it has expired") }
    guard expires - now <= Self.longestLife else { throw refusal("its exp is more than an hour away") }
    for name in ["iat", "nbf"] where claims[name]?.numericDate ?? 0 > now + Self.skew {
      throw refusal("its \(name) is in the future")
    }
    guard let id = claims["jti"]?.string, !id.isEmpty else { throw refusal("it has no jti") }
    let key = "\(client.id) \(id)"
    guard registry.assertions.current(key) == nil else { throw refusal("it was used already (jti)") }
    registry.assertions.add(UsedAssertion(expires: expires + Self.skew), as: key)
  }

  private func signedClaims(_ assertion: String) throws(ProtocolError) -> JSON {
    guard let token = try? JWT(decoding: assertion) else { throw refusal("it is no JWT") }
    let isSecret = client.method == .secretJWT
    let algorithm = token.header["alg"]?.string ?? "none"
    guard (isSecret ? Self.secretAlgorithms : Self.keyAlgorithms).contains(algorithm) else {
      throw refusal("its algorithm '\(algorithm)' is not one of this client")
    }
    let secret = Array((client.secret ?? "").utf8)
    let keys = isSecret ? [try? JWK.symmetric(secret)].compactMap(\.self) : client.keys.compactMap { try? JWK($0) }
    guard keys.contains(where: { (try? JWS.verify(assertion, key: $0, algorithms: [algorithm])) != nil }) else {
      throw refusal("no key of the client made its signature")
    }
    return token.claims
  }

  private func refusal(_ reason: String) -> ProtocolError {
    ProtocolError("invalid_client", "The client assertion is refused: \(reason).")
  }
}

extension JSON {
  /// The whole seconds of a date in a JWT, which is a number and never a text (RFC 7519 §2); nil for another value.
  var numericDate: Int? {
    switch self {
    case .integer(let seconds): Int(seconds)
    case .number(let seconds) where abs(seconds) < 0x1p53: Int(seconds.rounded(.down))
    default: nil
    }
  }

  /// The first date among the claims that is not a number; nil if there is none.
  var wrongDate: String? {
    ["exp", "iat", "nbf"].first { name in self[name].map { $0 != .null && $0.numericDate == nil } ?? false }
  }
}
