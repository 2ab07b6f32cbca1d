import JSON
import Settings
import Testing

@Suite struct EndpointTests {
  static let old = "https://login.microsoftonline.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=b2c_1_in"
  static let new = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_in/oauth2/v2.0/authorize"

  @Test(arguments: [
    (old, "https://login.microsoftonline.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=b2c_1_reset"),
    (new, "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_reset/oauth2/v2.0/authorize"),
    (
      "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_in/oauth2/v2.0/authorize",
      "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_reset/oauth2/v2.0/authorize"
    ),
    (
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?a=b%20c",
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?a=b%20c&p=b2c_1_reset"
    ),
    ("https://issuer.example.com/authorize?x=1", "https://issuer.example.com/authorize?x=1"),
  ])
  func aPolicyTakesTheOthersPlace(_ url: String, _ expected: String) throws {
    let settings = try Settings(values: ["authURL": .string(url)], source: "test")
    #expect(settings.authorizationEndpoint(policy: "b2c_1_reset") == expected)
    #expect(settings.authorizationEndpoint(policy: nil) == url)
  }

  @Test func thePolicyOfTheURLIsTheDefaultOne() throws {
    #expect(try Settings(values: ["authURL": .string(Self.old)], source: "test").policy() == "b2c_1_in")
    #expect(try Settings(values: ["authURL": .string(Self.new)], source: "test").policy() == "b2c_1_in")
    #expect(try Settings(values: ["authURL": "https://example.com/authorize"], source: "test").policy() == nil)
    let named = try Settings(
      values: ["authURL": .string(Self.old), "policies": ["signIn": "b2c_1_x", "reset": "b2c_1_y"]], source: "test")
    #expect(try named.policy() == "b2c_1_x")
    #expect(try named.policy("reset") == "b2c_1_y")
    #expect(try named.policy("b2c_1_z") == "b2c_1_z")
    #expect(named.authorizationEndpoint(policy: nil)?.hasSuffix("?p=b2c_1_x") == true)
  }

  @Test(
    arguments: [
      (
        ["authURL": .string(old)], nil,
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=b2c_1_in"
      ),
      (
        ["authURL": .string(new)], "b2c_1_edit",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_edit/v2.0/.well-known/openid-configuration"
      ),
      (["authURL": "https://issuer.example.com/authorize"], nil, nil),
      (
        ["authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"], "b2c_1_in",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_in/v2.0/.well-known/openid-configuration"
      ),
      (
        ["authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_in"], nil,
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_in/v2.0/.well-known/openid-configuration"
      ),
      (
        ["authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_in/v2.0"], "b2c_1_reset",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_reset/v2.0/.well-known/openid-configuration"
      ),
      (
        ["authority": "https://a.b2clogin.com/t/b2c_1_in/v2.0/.well-known/openid-configuration"], "b2c_1_reset",
        "https://a.b2clogin.com/t/b2c_1_reset/v2.0/.well-known/openid-configuration"
      ),
      (
        ["authority": "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"], nil,
        "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration"
      ),
      (
        ["authority": "https://login.microsoftonline.com/common/"], nil,
        "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration"
      ),
      (
        ["authority": "https://contoso.ciamlogin.com/t/v2.0"], nil,
        "https://contoso.ciamlogin.com/t/v2.0/.well-known/openid-configuration"
      ),
      (
        ["authority": "https://issuer.example.com"], nil, "https://issuer.example.com/.well-known/openid-configuration"
      ),
    ] as [([String: JSON], String?, String?)])
  func theMetadataDocumentIsFound(_ values: [String: JSON], _ policy: String?, _ expected: String?) throws {
    #expect(try Settings(values: values, source: "test").metadataURL(policy: policy) == expected)
  }
}
