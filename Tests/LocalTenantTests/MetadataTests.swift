import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct MetadataTests {
  private static let path = "/v2.0/.well-known/openid-configuration"

  @Test(arguments: [
    "/contoso.onmicrosoft.com/b2c_1_susi", "/contoso.onmicrosoft.com/B2C_1_SuSi",
    "/tfp/contoso.onmicrosoft.com/B2C_1_susi",
    "/0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40/B2C_1_susi", "/Contoso.OnMicrosoft.com/b2c_1_susi",
  ])
  func theIssuerIsTheBaseOfTheDocumentAndOfTheTokens(base: String) async throws {
    let tenant = try Browser.ofSharedTenant().tenant
    for origin in [tenant.url, tenant.url.replacing("127.0.0.1", with: "localhost")] {
      let browser = Browser(tenant, base: origin + base)
      let document = try JSON(parsing: try await browser.get(browser.base + Self.path).body)
      #expect(document["issuer"]?.string == "\(origin)\(base)/v2.0")
      #expect(document["authorization_endpoint"]?.string == "\(origin)\(base)/oauth2/v2.0/authorize")
      #expect(document["token_endpoint"]?.string == browser.tokenURL)
      #expect(document["jwks_uri"]?.string == "\(origin)\(base)/discovery/v2.0/keys")
      #expect(try await browser.get(document["jwks_uri"]?.string ?? "").status == 200)
      let claims = try JWT(decoding: try await browser.tokens()["id_token"]?.string ?? "").claims
      #expect(claims["iss"] == document["issuer"])
      #expect(claims["tfp"] == "b2c_1_susi")
    }
  }

  @Test(arguments: [("evil.example", 421), ("127.0.0.1@evil.example", 400), ("127.0.0.1.", 421), ("[::1]:1", 200)])
  func onlyLoopbackHostsAreAnswered(host: String, status: Int) async throws {
    let browser = try Browser.ofSharedTenant()
    let request = HTTPRequest(url: browser.base + Self.path, headers: ["Host": host])
    #expect(try await browser.http.send(request).status == status)
  }

  @Test func theOldFormHasThePolicyInItsQuery() async throws {
    let tenant = try LocalTenant()
    let browser = Browser(tenant, base: "\(tenant.url)/contoso.onmicrosoft.com?p=B2C_1_susi")
    let url = "\(tenant.url)/contoso.onmicrosoft.com\(Self.path)?p=B2C_1_susi"
    let document = try JSON(parsing: try await browser.get(url).body)
    #expect(document["token_endpoint"]?.string == browser.tokenURL)
    #expect(document["jwks_uri"]?.string == "\(tenant.url)/contoso.onmicrosoft.com/discovery/v2.0/keys?p=B2C_1_susi")
    #expect(try await browser.get(document["jwks_uri"]?.string ?? "").status == 200)
    let claims = try JWT(decoding: try await browser.tokens()["id_token"]?.string ?? "").claims
    #expect(claims["iss"] == document["issuer"])
    #expect(claims["iss"]?.string == "\(tenant.url)/contoso.onmicrosoft.com/B2C_1_susi/v2.0")
  }

  @Test func theSwitchGivesTheIssuerOfB2C() async throws {
    let tenant = try LocalTenant(TenantConfiguration(issuerForm: .guid))
    let browser = Browser(tenant)
    let document = try JSON(parsing: try await browser.get(browser.base + Self.path).body)
    #expect(document["issuer"]?.string == "\(tenant.url)/0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40/v2.0/")
    #expect(try JWT(decoding: try await browser.tokens()["id_token"]?.string ?? "").claims["iss"] == document["issuer"])
  }

  @Test func whatIsAdvertisedWorks() async throws {
    let browser = try Browser.ofSharedTenant()
    let document = try JSON(parsing: try await browser.get(browser.base + Self.path).body)
    try await browser.signIn()
    for type in document["response_types_supported"]?.array ?? [] {
      for mode in document["response_modes_supported"]?.array ?? []
      where type == "code" || mode.string?.hasPrefix("query") != true {
        try await browser.authorize(["response_type": type.string, "response_mode": mode.string])
        let fields = browser.page.forms.first?.fields.map { ($0.name, $0.value) } ?? browser.redirected.map { ($0, $1) }
        let signed = try fields.first { $0.0 == "response" }.map { try JWT(decoding: $0.1).claims.object ?? [:] }
        let names = Set(signed?.keys.map(\.self) ?? fields.map(\.0))
        #expect(
          names.isSuperset(
            of: (type.string ?? "").split(separator: " ").map { $0 == "token" ? "access_token" : String($0) }),
          "\(type) \(mode)")
        #expect(!names.contains("error"))
      }
    }
  }

  @Test(arguments: [
    ("/fabrikam.onmicrosoft.com/b2c_1_susi/v2.0/.well-known/openid-configuration", "there is no tenant fabrikam"),
    (
      "/contoso.onmicrosoft.com/b2c_1_what/v2.0/.well-known/openid-configuration",
      "there is no policy b2c_1_what in contoso.onmicrosoft.com; its policies are b2c_1_susi, b2c_1_signin, "
        + "b2c_1_signup, b2c_1_reset, b2c_1_edit, b2c_1_ropc, b2c_1_mfa"
    ),
    (
      "/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration",
      "the request names no policy: neither in the path nor as ?p=; its policies are b2c_1_susi, "
    ),
    ("/contoso.onmicrosoft.com/b2c_1_susi/oauth2/v2.0/what", "there is no such endpoint"),
  ])
  func whatIsUnknownIsNamed(path: String, message: String) async throws {
    let tenant = try Browser.ofSharedTenant().tenant
    let browser = Browser(tenant)
    let response = try await browser.get(tenant.url + path)
    #expect(response.status == 404)
    #expect(try JSON(parsing: response.body)["message"]?.string?.hasPrefix(message) == true)
  }
}
