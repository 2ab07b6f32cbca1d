import JSON
import Testing

@testable import OAuth

/// A token counts as an access token by the kind of its provider.
@Suite struct AccessTokenRuleTests {
  private static let base: [String: JSON] = ["iss": "https://a", "sub": "1", "aud": "me"]

  private func admits(_ isOfMicrosoft: Bool, _ type: String?, _ claims: [String: JSON]) -> Bool {
    AccessTokenRule(isOfMicrosoft: isOfMicrosoft).admits(type: type, .object(Self.base.merging(claims) { $1 }))
  }

  @Test(arguments: ["at+jwt", "AT+JWT", "application/at+jwt"])
  func theTypeOfTheStandardIsEnough(_ type: String) { #expect(admits(false, type, [:]) && admits(true, type, [:])) }

  @Test(arguments: [
    "logout+jwt", "secevent+jwt", "dpop+jwt", "oauth-authz-req+jwt", "token-introspection+jwt", "JOSE", "",
  ])
  func anotherTypeIsRefused(_ type: String) {
    for isOfMicrosoft in [true, false] { #expect(!admits(isOfMicrosoft, type, ["scp": "read", "azp": "other"])) }
  }

  @Test func azureAndEntraNameTheClient() {
    #expect(
      admits(true, "JWT", ["scp": "read", "azp": "me"]) && admits(true, "JWT", ["roles": ["x"], "appid": "other"]))
    // The ID token of a refresh, with the roles of the user.
    #expect(!admits(true, "JWT", ["roles": ["admin"]]) && !admits(true, nil, [:]))
  }

  @Test func othersHaveScopesOrAnotherClient() {
    #expect(admits(false, "JWT", ["scope": "read"]) && admits(false, nil, ["client_id": "me"]))
    #expect(admits(false, "JWT", ["azp": "other"]))
    // ID tokens of Google and Keycloak name their audience in azp.
    #expect(!admits(false, "JWT", ["azp": "me"]) && !admits(false, "JWT", ["azp": "me", "aud": ["me", "x"]]))
    #expect(!admits(false, "JWT", ["roles": ["admin"]]))
  }

  @Test(
    arguments: [
      ["nonce": "n"], ["at_hash": "h"], ["events": [:]], ["cnf": [:]], ["typ": "ID"], ["token_use": "id"],
    ] as [[String: JSON]])
  func theClaimsOfOtherTokensAreRefused(_ claims: [String: JSON]) {
    let token = claims.merging(["scope": "read", "scp": "read", "azp": "other"]) { $1 }
    #expect(!admits(true, "JWT", token) && !admits(false, "JWT", token) && !admits(false, "at+jwt", token))
  }
}
