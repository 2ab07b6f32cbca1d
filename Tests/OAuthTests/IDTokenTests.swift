import Core
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

@Suite struct IDTokenTests {
  private static let time = Int64(Provider.time)

  @Test @HostActor func aTokenInOrderIsBelieved() async throws {
    let provider = try Provider()
    let claims = try await IDTokenValidator(provider.client()).validate(
      idToken: provider.idToken(), nonce: "n-1", maxAge: 60)
    #expect(claims["sub"] == "alice")
    #expect(claims["oid"] == "o-1")
    #expect(claims["name"] == "Alice")
    #expect(claims["emails"] == ["alice@example.com"])
    #expect(claims["tfp"] == "B2C_1_in")
    #expect(claims["exp"] == .integer(Self.time + 3600))
  }

  @Test(
    arguments: [
      ["aud": ["app", "other"], "azp": "app"], ["exp": .integer(time - 299)], ["nbf": .integer(time + 299)],
      ["exp": .number(Double(time) + 10.5)], ["tfp": nil, "acr": "b2c_1_in"], ["tfp": nil], ["nbf": nil],
    ] as [[String: JSON]])
  @HostActor func variantsAreBelievedToo(_ changes: [String: JSON]) async throws {
    let provider = try Provider()
    _ = try await IDTokenValidator(provider.client()).validate(idToken: provider.idToken(changes), nonce: "n-1")
  }

  @Test(
    arguments: [
      (
        ["iss": "https://evil.example.com/"], "issuer_mismatch",
        "the ID token is from another issuer (iss): expected \"ISSUER\", got \"https://evil.example.com/\""
      ),
      (
        ["aud": "other"], "audience_mismatch",
        "the ID token is for another application (aud): expected \"app\", got \"other\""
      ),
      (["aud": ["app", "other"]], "missing_claim", "the ID token has no azp"),
      (["aud": nil], "missing_claim", "the ID token has no aud"),
      (
        ["azp": "other"], "audience_mismatch",
        "the ID token was given to another application (azp): expected \"app\", got \"other\""
      ),
      (["sub": nil], "missing_claim", "the ID token has no sub"),
      (
        ["exp": .integer(time - 300)], "token_expired",
        "the ID token has expired (exp): expected a time after 2023-11-14T22:13:20Z, got 2023-11-14T22:08:20Z"
      ),
      (["exp": nil], "missing_claim", "the ID token has no exp"),
      (
        ["exp": "1700003600"], "malformed_token",
        "the ID token's exp has a wrong type: expected a number, got \"1700003600\""
      ),
      (
        ["nbf": .integer(time + 301)], "token_not_yet_valid",
        "the ID token is not valid yet (nbf): expected a time before 2023-11-14T22:13:20Z, got 2023-11-14T22:18:21Z"
      ),
      (
        ["iat": .integer(time + 301)], "token_not_yet_valid",
        "the ID token is from the future (iat): expected a time before 2023-11-14T22:13:20Z, got 2023-11-14T22:18:21Z"
      ),
      (
        ["nonce": "n-2"], "nonce_mismatch",
        "the ID token belongs to another sign-in (nonce): expected \"n-1\", got \"n-2\""
      ),
      (["nonce": nil], "missing_claim", "the ID token has no nonce"),
      (
        ["auth_time": .integer(time - 400)], "authentication_too_old",
        "the user signed in too long ago (auth_time): expected at most 60 seconds before 2023-11-14T22:13:20Z, got "
          + "2023-11-14T22:06:40Z"
      ),
      (["auth_time": nil], "missing_claim", "the ID token has no auth_time"),
      (
        ["tfp": "b2c_1_other"], "policy_mismatch",
        "the ID token is from another policy (tfp): expected \"b2c_1_in\", got \"b2c_1_other\""
      ),
      (
        ["at_hash": "xxx"], "hash_mismatch",
        "the ID token belongs to another access token (at_hash): expected \"77QmUPtjPfzWtF2AnpK9RQ\", got \"xxx\""
      ),
    ] as [([String: JSON], String, String)])
  @HostActor func aWrongClaimIsNamedWithBothSides(
    _ changes: [String: JSON], _ code: String, _ message: String
  ) async throws {
    let provider = try Provider()
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(
        idToken: provider.idToken(changes), nonce: "n-1", maxAge: 60,
        accessToken: Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"))
    }
    #expect(error?.code == code)
    #expect(error?.message == message.replacing("ISSUER", with: provider.issuer))
    #expect(error?.stage == .validation)
  }

  /// The access token and its hash are those of OpenID Connect Core, A.3.
  @Test @HostActor func hashesThatMatchAreBelieved() async throws {
    let provider = try Provider()
    let token = try provider.idToken(["at_hash": "77QmUPtjPfzWtF2AnpK9RQ", "c_hash": "LDktKdoQak3Pk0cnXxCltA"])
    _ = try await IDTokenValidator(provider.client()).validate(
      idToken: token, nonce: "n-1", accessToken: Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"),
      code: "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk")
  }

  @Test @HostActor func withoutMetadataNothingIsBelieved() async throws {
    let provider = try Provider()
    let client = try provider.client([
      "authority": nil, "authURL": .string("\(provider.url)/authorize"), "tokenURL": .string("\(provider.url)/token"),
    ])
    let error = await oauthError { _ = try await IDTokenValidator(client).validate(idToken: provider.idToken()) }
    #expect(error?.message == "settings.plist does not tell where the provider's metadata document is")
  }
}
