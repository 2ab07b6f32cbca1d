import HTTPClient
import JSON
import OAuth
import Settings
import Testing

@Suite struct ScopeTests {
  @Test(arguments: [
    (
      ["openid", "offline_access"],
      "Azure AD B2C gives no access token for the scopes openid offline_access, which name no API"
    ),
    ([], "the request names no scope, so Azure AD B2C gives no access token"),
    (
      ["openid", "profile", "email"],
      "Azure AD B2C gives no access token for the scopes openid profile email, which name no API"
    ),
  ])
  func scopesWithoutAnAPIAreRecognized(_ scopes: [String], _ message: String) throws {
    let settings = try Provider().settings()
    #expect {
      try AccessTokenScopes(settings).check(scopes)
    } throws: {
      let error = $0 as? OAuthError
      return error?.code == "no_access_token_scopes" && error?.message == message
        && error?.hint
          == "add the client ID (app) or an API's scope, such as https://contoso.onmicrosoft.com/API/SCOPE, to scopes in "
          + "the settings; if the ID token is enough, sign in with access_token = false"
        && error?.details["scopes"] == scopes.joined(separator: " ")
    }
  }

  @Test(arguments: [
    ["openid", "app"], ["https://contoso.onmicrosoft.com/tasks/read"], ["openid", "tasks.read"],
  ])
  func scopesOfAnAPIAreInOrder(_ scopes: [String]) throws {
    try AccessTokenScopes(Provider().settings()).check(scopes)
  }

  @Test(
    arguments: [
      ["policies": nil], ["policies": nil, "authority": nil, "authURL": "https://id.example.com/authorize"],
    ] as [[String: JSON]])
  func otherProvidersGiveOneForAnyScope(_ changes: [String: JSON]) throws {
    try AccessTokenScopes(Provider().settings(changes)).check(["openid"])
  }

  @Test(
    arguments: [
      ["authURL": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_in/oauth2/v2.0/authorize"],
      ["authority": "https://login.contoso.com/contoso.onmicrosoft.com/B2C_1A_in"],
    ] as [[String: JSON]])
  func aPolicyInAnAddressMakesItB2C(_ changes: [String: JSON]) throws {
    let client = try Provider().settings(["policies": nil, "authority": nil]).with(changes)
    #expect(throws: OAuthError.self) {
      try AccessTokenScopes(client).check(["openid"])
    }
  }
}
