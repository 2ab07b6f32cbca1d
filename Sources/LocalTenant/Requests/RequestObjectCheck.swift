import Core
import HTTPServer
import JOSE
import JSON

/// A wrong answer to a request object, for `tenant.fault { request_object = … }`.
package enum RequestObjectFault: String, Sendable, CaseIterable {
  case refused

  var error: ProtocolError {
    ProtocolError("invalid_request_object", "The request object is refused, as a fault of the local tenant asked for.")
  }

  func applies(to request: ServerRequest) -> Bool {
    let endpoints = [PolicyEndpoint.par, .authorize]
    return endpoints.contains { request.path.hasSuffix("/\($0.rawValue)") }
      && (request.query + request.form).contains { $0.0 == "request" }
  }
}

/// The check of a request object (RFC 9101 §6), which a registered client signs.
struct RequestObjectCheck {
  static let algorithms = AssertionCheck.keyAlgorithms
  private static let types: Set = ["oauth-authz-req+jwt", "jwt"]
  /// The claims that protect the JWT, and are no parameters.
  private static let claimsOfTheToken: Set = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]
  /// The seconds that the clocks may differ.
  private static let skew = 60
  private static let longestLife = 3600

  let clients: ClientRegistry
  let key: EncryptionKey
  /// Objects by client and `jti`, which are accepted once.
  let used: ExpiringStore<UsedAssertion>

  /// Returns the parameters in the object `request`. Parameters beside the object do not count (§5), but `client_id` must
  /// be the same.
  /// - Throws: `invalid_request_object`.
  func parameters(_ outer: Parameters, issuer: String) throws(ProtocolError) -> Parameters {
    try outer.checkRepetitions()
    guard outer["request_uri"] == nil else {
      throw ProtocolError("invalid_request", "The request has both the parameter 'request' and 'request_uri'.")
    }
    guard let id = outer["client_id"] else { throw ProtocolError(90008) }
    guard let client = clients.application(id) else { throw .unknownClient(id) }
    let claims = try verifiedClaims(decrypted(outer.required("request")), client)
    try check(claims, client, issuer)
    if let type = outer["response_type"], type != claims["response_type"]?.string {
      throw Self.refused("its response_type is not the one beside it")
    }
    var fields: [(String, String)] = []
    for (name, value) in (claims.object ?? [:]).sorted(by: { $0.key < $1.key })
    where !Self.claimsOfTheToken.contains(name) {
      let values = name == "resource" ? value.array ?? [value] : [value]
      fields += values.map { (name, $0.string ?? $0.encoded()) }
    }
    return Parameters(fields, isObject: true)
  }

  private func decrypted(_ text: String) throws(ProtocolError) -> String {
    guard text.split(separator: ".", omittingEmptySubsequences: false).count == 5 else { return text }
    do { return try key.decrypt(text) } catch {
      throw Self.refused("it is not encrypted for the key of this server (\(error.message))")
    }
  }

  private func verifiedClaims(_ object: String, _ client: Application) throws(ProtocolError) -> JSON {
    guard let token = try? JWT(decoding: object) else { throw Self.refused("it is no JWT") }
    let type = token.header["typ"]?.string?.lowercased() ?? "jwt"
    guard Self.types.contains(type) else { throw Self.refused("its typ is '\(type)'") }
    let algorithm = token.header["alg"]?.string ?? "none"
    guard Self.algorithms.contains(algorithm) else {
      throw Self.refused(
        algorithm == "none" ? "it is not signed (alg none)" : "its algorithm '\(algorithm)' is not allowed")
    }
    guard !client.keys.isEmpty else { throw Self.refused("the client has registered no key (jwks)") }
    let keys = client.keys.compactMap { try? JWK($0) }
    guard keys.contains(where: { (try? JWS.verify(object, key: $0, algorithms: [algorithm])) != nil }) else {
      throw Self.refused("no key of the client made its signature")
    }
    return token.claims
  }

  private func check(_ claims: JSON, _ client: Application, _ issuer: String) throws(ProtocolError) {
    for name in ["iss", "client_id"] where claims[name]?.string?.lowercased() != client.id {
      throw Self.refused("its \(name) is not the client's ID")
    }
    let audiences = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
    guard audiences.contains(issuer) else {
      throw Self.refused("its aud is '\(audiences.joined(separator: " "))', not '\(issuer)'")
    }
    for name in ["request", "request_uri"] where claims[name] != nil { throw Self.refused("it has a claim '\(name)'") }
    let now = clients.clock.elapsed
    if let name = claims.wrongDate { throw Self.refused("its \(name) is not a number") }
    guard let expires = claims["exp"]?.numericDate else { throw Self.refused("it has no exp") }
    guard now < expires + Self.skew else { throw Self.refused("it has expired") }
    guard expires - now <= Self.longestLife + Self.skew else { throw Self.refused("its exp is more than an hour away") }
    for name in ["iat", "nbf"] where claims[name]?.numericDate ?? 0 > now + Self.skew {
      throw Self.refused("its \(name) is in the future")
    }
    guard let id = claims["jti"]?.string else { return }
    let key = "\(client.id) \(id)"
    guard used.current(key) == nil else { throw Self.refused("it was used already (jti)") }
    used.add(UsedAssertion(expires: expires + Self.skew), as: key)
  }

  private static func refused(_ reason: String) -> ProtocolError {
    ProtocolError("invalid_request_object", "The request object is refused: \(reason).")
  }
}
