import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

/// The checks of DPoP proofs (RFC 9449, 4.3 and 7). The proofs are made here by hand.
@HostActor @Suite struct ProofTests {
  let tenant: LocalTenant
  let browser: Browser
  let key: PrivateKey

  init() throws {
    tenant = try LocalTenant.atRest()
    browser = Browser(tenant)
    key = try .generate(.ec(curve: "P-256"))
  }

  private var tasksURL: String { "\(tenant.url)/api/tasks" }

  /// A proof; nil in `changes` removes a claim.
  private func proof(
    _ method: String, _ url: String, _ changes: [String: JSON?] = [:], header: [String: JSON?] = [:],
    key: PrivateKey? = nil
  ) throws -> String {
    let key = key ?? self.key
    var claims: [String: JSON] = [
      "htm": .string(method), "htu": .string(url), "iat": 1_790_000_010, "jti": .string(SecureRandom.token(16)),
    ]
    for (name, value) in changes { claims[name] = value }
    var members: [String: JSON] = ["typ": "dpop+jwt", "alg": "ES256", "jwk": key.publicKey?.json ?? nil]
    for (name, value) in header { members[name] = value }
    return try JWS.sign(JSON.object(claims).bytes() ?? [], header: .object(members), key: key)
  }

  private func hash(_ token: String) -> JSON { .string(Base64URL.encode(SHA256.hash(token.utf8))) }

  private func ask(_ proof: String?, _ changes: [String: String] = [:]) async throws -> (HTTPResponse, JSON) {
    var fields = [
      "grant_type": "password", "client_id": browser.clientID, "username": "alice", "password": "Wonderland-1",
      "scope": "openid offline_access \(Browser.read) \(Browser.write)",
    ]
    fields.merge(changes) { $1 }
    let ropc = browser.at(policy: "b2c_1_ropc")
    let response = try await ropc.post(
      "\(ropc.base)/oauth2/v2.0/token", fields.map { ($0.key, $0.value) },
      headers: proof.map { ["DPoP": $0] } ?? [:])
    return (response, try JSON(parsing: response.body))
  }

  private var ropcURL: String { "\(browser.at(policy: "b2c_1_ropc").base)/oauth2/v2.0/token" }

  private func token() async throws -> JSON { try await ask(try proof("POST", ropcURL)).1 }

  private func list(_ token: String, _ proof: String?, type: String = "DPoP") async throws -> HTTPResponse {
    var request = HTTPRequest(url: tasksURL)
    request.headers["Authorization"] = "\(type) \(token)"
    if let proof { request.headers["DPoP"] = proof }
    return try await HTTPClient().send(request)
  }

  @Test func tokensAreBoundToTheKeyOfTheProof() async throws {
    let tokens = try await token()
    #expect(tokens["token_type"] == "DPoP")
    let access = tokens["access_token"]?.string ?? ""
    #expect(try JWT(decoding: access).claims["cnf"]?["jkt"]?.string == (try key.thumbprint))
    let good = try proof("GET", tasksURL, ["ath": hash(access)])
    #expect(try await list(access, good).status == 200)
  }

  @Test(
    arguments: [
      (["htm": "GET"], [:], "htm of the DPoP proof is \"GET\", expected \"POST\""),
      (["htu": "https://127.0.0.1/other"], [:], "htu of the DPoP proof is \"https://127.0.0.1/other\", expected"),
      (["iat": 1_789_999_900], [:], "iat of the DPoP proof differs from this server's time by more than 60 seconds"),
      (["iat": 1_790_000_100], [:], "iat of the DPoP proof differs from this server's time by more than 60 seconds"),
      (["iat": .some(nil)], [:], "iat of the DPoP proof is null, expected a number"),
      (["iat": "1790000000"], [:], "iat of the DPoP proof is \"1790000000\", expected a number"),
      (["jti": ""], [:], "jti of the DPoP proof must have between 1 and 256 characters"),
      ([:], ["typ": "JWT"], "typ of the DPoP proof is not dpop+jwt"),
      ([:], ["jwk": .some(nil)], "the DPoP proof has no public key (jwk)"),
      ([:], ["jwk": ["kty": "oct", "k": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]], "is not a public key"),
    ] as [([String: JSON?], [String: JSON?], String)])
  func aWrongProofIsRefused(claims: [String: JSON?], header: [String: JSON?], message: String) async throws {
    let (response, body) = try await ask(try proof("POST", ropcURL, claims, header: header))
    #expect(response.status == 400)
    #expect(body["error"] == "invalid_dpop_proof")
    #expect(body["error_description"]?.string?.contains(message) == true, "\(body)")
  }

  @Test func aProofWithAPrivateKeyIsRefused() async throws {
    let (_, body) = try await ask(try proof("POST", ropcURL, header: ["jwk": key.reveal()]))
    #expect(body["error_description"]?.string?.contains("jwk of the DPoP proof is not a public key") == true)
  }

  @Test func aProofWithoutSignatureOrWithASecretIsRefused() async throws {
    let message = "alg of the DPoP proof is not one of"
    let secret = try PrivateKey.generate(.symmetric(bits: 256))
    let half = try #require(key.publicKey).json
    let signed = try proof("POST", ropcURL, header: ["alg": "HS256", "jwk": half], key: secret)
    #expect(try await ask(signed).1["error_description"]?.string?.contains(message) == true)
    let none = Base64URL.encode(
      (JSON.object(["typ": "dpop+jwt", "alg": "none", "jwk": half])).encoded().utf8)
    let unsigned = "\(none).\(signed.split(separator: ".")[1])."
    #expect(try await ask(unsigned).1["error"] == "invalid_dpop_proof")
  }

  @Test func aProofSignedByAnotherKeyIsRefused() async throws {
    let other = try PrivateKey.generate(.ec(curve: "P-256"))
    let forged = try proof("POST", ropcURL, header: ["jwk": other.publicKey?.json])
    #expect(try await ask(forged).1["error_description"]?.string?.contains("the DPoP proof is not valid") == true)
  }

  @Test func aProofServesOnce() async throws {
    let once = try proof("POST", ropcURL)
    #expect(try await ask(once).0.status == 200)
    let (_, body) = try await ask(once)
    #expect(body["error_description"]?.string?.contains("the DPoP proof has been used before (jti)") == true)
  }

  @Test func theTaskAPIChecksTheProof() async throws {
    let access = try await token()["access_token"]?.string ?? ""
    func refusal(_ proof: String?, type: String = "DPoP") async throws -> (String, String) {
      let response = try await list(access, proof, type: type)
      #expect(response.status == 401)
      return (
        try JSON(parsing: response.body)["message"]?.string ?? "", response.headers["WWW-Authenticate"] ?? ""
      )
    }
    let other = try PrivateKey.generate(.ec(curve: "P-256"))
    #expect(try await refusal(nil).0 == "the request has no DPoP proof")
    #expect(
      try await refusal(nil, type: "Bearer").0
        == "the access token is bound to a key, and needs the type DPoP with a proof")
    let (message, challenge) = try await refusal(try proof("GET", tasksURL))
    #expect(message == "ath of the DPoP proof is not the hash of the access token")
    #expect(challenge.hasPrefix("DPoP algs=\"ES256 ES384 ES512 EdDSA RS256 PS256\", error=\"invalid_dpop_proof\""))
    #expect(
      try await refusal(try proof("GET", tasksURL, ["ath": hash("another")])).0
        == "ath of the DPoP proof is not the hash of the access token")
    #expect(
      try await refusal(try proof("GET", tasksURL, ["ath": hash(access)], key: other)).0
        == "the access token is bound to the key of another DPoP proof")
    #expect(
      try await refusal(try proof("POST", tasksURL, ["ath": hash(access)])).0
        == "htm of the DPoP proof is \"POST\", expected \"GET\"")
  }

  @Test func aRefreshTokenOfAPublicClientIsBoundToTheKey() async throws {
    let refresh = try await token()["refresh_token"]?.string ?? ""
    let form = ["grant_type": "refresh_token", "refresh_token": refresh]
    let other = try PrivateKey.generate(.ec(curve: "P-256"))
    for proof in [nil, try proof("POST", ropcURL, key: other)] {
      let (_, body) = try await ask(proof, form)
      #expect(body["error"] == "invalid_grant")
      #expect(body["error_description"]?.string?.contains("bound to the key of another DPoP proof") == true)
    }
    #expect(try await ask(try proof("POST", ropcURL), form).1["token_type"] == "DPoP")
  }

  @Test func aRequirementIsForEveryClient() async throws {
    try tenant.require([.dpop, .dpopNonce])
    let (_, missing) = try await ask(nil)
    #expect(missing["error_description"]?.string?.contains("the request has no DPoP proof") == true)
    let (response, body) = try await ask(try proof("POST", ropcURL))
    #expect(body["error"] == "use_dpop_nonce")
    let nonce = try #require(response.headers["DPoP-Nonce"])
    #expect(try await ask(try proof("POST", ropcURL, ["nonce": .string(nonce)])).0.status == 200)
    try tenant.advance(seconds: 300)
    #expect(try await ask(try proof("POST", ropcURL, ["nonce": .string(nonce)])).1["error"] == "use_dpop_nonce")
  }

  @Test func theMetadataNameTheAlgorithms() async throws {
    let url = "\(browser.base)/v2.0/.well-known/openid-configuration"
    let metadata = try JSON(parsing: try await HTTPClient().send(HTTPRequest(url: url)).body)
    #expect(
      metadata["dpop_signing_alg_values_supported"] == ["ES256", "ES384", "ES512", "EdDSA", "RS256", "PS256"])
  }
}
