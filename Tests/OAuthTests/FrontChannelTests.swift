import Crypto
import HostLoop
import JSON
import OAuth
import Testing

/// ID tokens that come with the redirect: the tests of the conformance suite for the implicit and the hybrid flows.
@Suite struct FrontChannelTests {
  /// The access token and the code of OpenID Connect Core, A.3 and A.4, with their hashes.
  static let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
  static let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
  static let hashes: [String: JSON] = ["at_hash": "77QmUPtjPfzWtF2AnpK9RQ", "c_hash": "LDktKdoQak3Pk0cnXxCltA"]

  private func response(_ idToken: String, _ parameters: String) throws -> AuthorizationResponse {
    try AuthorizationResponse(redirect: "http://localhost:8080/done#id_token=\(idToken)\(parameters)")
  }

  @Test(
    "rp-response_type-id_token, …-id_token+token, …-code+id_token, …-code+id_token+token",
    arguments: ["", "&access_token=\(accessToken)", "&code=\(code)", "&code=\(code)&access_token=\(accessToken)"])
  @HostActor func everyResponseTypeIsBelieved(_ parameters: String) async throws {
    let provider = try Provider()
    let claims = try await IDTokenValidator(provider.client()).validate(
      response(provider.idToken(Self.hashes), parameters), nonce: "n-1", maxAge: 60)
    #expect(claims?["sub"] == "alice")
  }

  @Test(
    arguments: [
      (
        "rp-id_token-bad-at_hash", ["at_hash": "bad"], "hash_mismatch",
        "the ID token belongs to another access token (at_hash): expected \"77QmUPtjPfzWtF2AnpK9RQ\", got \"bad\""
      ),
      ("rp-id_token-missing-at_hash", ["at_hash": nil], "missing_claim", "the ID token has no at_hash"),
      (
        "rp-id_token-bad-c_hash", ["c_hash": "bad"], "hash_mismatch",
        "the ID token belongs to another code (c_hash): expected \"LDktKdoQak3Pk0cnXxCltA\", got \"bad\""
      ),
      ("rp-id_token-missing-c_hash", ["c_hash": nil], "missing_claim", "the ID token has no c_hash"),
      ("rp-nonce-unless-code-flow", ["nonce": nil], "missing_claim", "the ID token has no nonce"),
    ] as [(String, [String: JSON], String, String)])
  @HostActor func whatDoesNotBelongTogetherIsRefused(
    _ name: String, _ changes: [String: JSON], _ code: String, _ message: String
  ) async throws {
    let provider = try Provider()
    let claims = Self.hashes.merging(changes) { $1 }
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(
        response(provider.idToken(claims), "&code=\(Self.code)&access_token=\(Self.accessToken)"), nonce: "n-1")
    }
    #expect(error?.code == code)
    #expect(error?.message == message)
  }

  @Test @HostActor func hashesFollowTheTokensAlgorithm() async throws {
    let provider = try Provider()
    provider.change { $0.metadata = ["id_token_signing_alg_values_supported": ["RS256", "RS384", "RS512"]] }
    func half(_ hash: [UInt8]) -> JSON { .string(Base64URL.encode(hash.prefix(hash.count / 2))) }
    for (algorithm, hash) in [("RS384", SHA384.hash(Self.code.utf8)), ("RS512", SHA512.hash(Self.code.utf8))] {
      let token = try provider.idToken(["c_hash": half(hash)], header: ["alg": .string(algorithm)])
      _ = try await IDTokenValidator(provider.client()).validate(response(token, "&code=\(Self.code)"), nonce: "n-1")
    }
  }

  @Test @HostActor func withoutAnIDTokenThereIsNothingToCheck() async throws {
    let redirect = try AuthorizationResponse(redirect: "http://localhost:8080/done?code=c")
    #expect(try await IDTokenValidator(Provider().client()).validate(redirect, nonce: "n-1") == nil)
  }
}
