import Conform
import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON

extension Trial {
  /// Redeems a code of the client with a secret, which is replaced; nil sends none.
  func withSecret(_ secret: String?) async throws -> Answer {
    let client = try secretClient
    let (attempt, code) = try await code(as: client)
    var form = attempt.form(code: code)
    form["client_id"] = client.id
    form["client_secret"] = secret
    return try await post(try endpoint("token_endpoint"), form, as: nil)
  }

  /// Redeems a code with another `Authorization` field.
  func withHeader(_ header: (ProviderClient) -> String) async throws -> Answer {
    let client = try secretClient
    let (attempt, code) = try await code(as: client)
    return try await post(
      try endpoint("token_endpoint"), attempt.form(code: code), as: nil, ["Authorization": header(client)])
  }

  func key(_ client: ProviderClient) throws -> PrivateKey {
    guard let key = client.key else { throw EndOfProbe(.skipped("the client has no key")) }
    return key
  }

  func assertionClaims(_ client: ProviderClient) throws -> [String: JSON] {
    JWT.assertion(issuer: client.id, subject: client.id, audience: provider.issuer, now: UnixTime.now.seconds)
  }

  /// Redeems a code with this assertion.
  func withAssertion(
    _ client: ProviderClient, _ assertion: String, _ change: (inout Fields) -> Void = { _ in }
  ) async throws -> Answer {
    let (attempt, code) = try await code(as: client)
    var form = attempt.form(code: code)
    form["client_id"] = client.id
    form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    form["client_assertion"] = assertion
    change(&form)
    return try await post(try endpoint("token_endpoint"), form, as: nil)
  }

  /// A JWT with `alg: none`.
  static func unsigned(_ claims: [String: JSON]) -> String {
    let parts: [JSON] = [["alg": "none", "typ": "JWT"], .object(claims)]
    return parts.map { Base64URL.encode($0.encoded().utf8) }.joined(separator: ".") + "."
  }

  /// A signed JWT whose payload has one more member.
  static func tampered(_ token: String) -> String {
    var parts = token.split(separator: ".").map(String.init)
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]), var claims = (try? JSON(parsing: bytes))?.object
    else { return token }
    claims["conform"] = true
    parts[1] = Base64URL.encode(JSON.object(claims).encoded().utf8)
    return parts.joined(separator: ".")
  }

  func proofKey() throws -> PrivateKey {
    guard let key = provider.proofKey else { throw EndOfProbe(.unclear("no key could be made")) }
    return key
  }

  /// A proof with changes of its claims and its header.
  func proof(
    _ method: String, _ url: String, key given: PrivateKey? = nil, nonce: String? = nil,
    _ change: (inout [String: JSON], inout [String: JSON]) -> Void = { _, _ in }
  ) throws -> String {
    let key = try given ?? proofKey()
    var claims: [String: JSON] = [
      "htm": .string(method), "htu": .string(WebAddress(url).base), "iat": .integer(Int64(UnixTime.now.seconds)),
      "jti": .string(SecureRandom.token(16)),
    ]
    claims["nonce"] = nonce.map(JSON.string)
    let members = ["kty", "crv", "x", "y", "n", "e"]
    let publicKey = (key.publicKey?.json.object ?? [:]).filter { members.contains($0.key) }
    var header: [String: JSON] = ["typ": "dpop+jwt", "jwk": .object(publicKey)]
    change(&claims, &header)
    return try JWT.sign(.object(claims), header: header, key: key)
  }

  /// Redeems a code with a proof.
  func withProof(_ make: @HostActor (Trial, String) throws -> String) async throws -> Answer {
    let (attempt, code) = try await code()
    return try await redeem(attempt, code, ["DPoP": try make(self, try endpoint("token_endpoint"))])
  }

  /// An access token that is bound to the key of the run.
  func boundToken() async throws -> String {
    let answer = try await withProof { try $0.proof("POST", $1) }.needed("the token request")
    guard answer.string("token_type")?.lowercased() == "dpop", let token = answer.string("access_token") else {
      throw EndOfProbe(.notUsed("the provider binds no tokens"))
    }
    return token
  }

  func userinfo(
    bound token: String, key: PrivateKey? = nil, method: String = "GET",
    _ change: (inout [String: JSON], inout [String: JSON]) -> Void
  ) async throws -> Answer {
    let url = try endpoint("userinfo_endpoint")
    let proof = try proof(method, url, key: key) { claims, header in
      claims["ath"] = .string(Base64URL.encode(SHA256.hash(token.utf8)))
      change(&claims, &header)
    }
    return try await send(
      HTTPRequest(
        method: method, url: url, headers: ["Authorization": "DPoP \(token)", "DPoP": proof],
        body: method == "POST" ? [] : nil))
  }
}
