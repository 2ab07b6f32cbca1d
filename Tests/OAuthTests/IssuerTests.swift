import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// Addresses of Microsoft's services, which no test can be asked to reach: the rules are asked themselves.
@Suite struct IssuerTests {
  static let guid = "775527ff-9a37-4307-8b3d-cc311f58d925"
  static let other = "9188040d-6c67-4c5b-b112-36a304b66dad"
  static let document = "/.well-known/openid-configuration"

  @Test(arguments: [
    ("https://id.example.com", "https://id.example.com"), ("https://id.example.com/", "https://id.example.com"),
    (
      "https://contoso.b2clogin.com/\(guid)/v2.0/", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_in/v2.0"
    ),
    ("https://contoso.b2clogin.com/\(guid)/v2.0/", "https://contoso.b2clogin.com/\(guid)/b2c_1_in/v2.0"),
    (
      "https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_in/v2.0/",
      "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_in/v2.0"
    ),
    ("https://login.contoso.com/\(guid)/v2.0/", "https://login.contoso.com/contoso.onmicrosoft.com/b2c_1_in/v2.0"),
    ("https://\(guid).ciamlogin.com/\(guid)/v2.0", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0"),
    ("https://\(guid).ciamlogin.com/\(guid)/v2.0", "https://contoso.ciamlogin.com/\(guid)/v2.0"),
    ("https://login.microsoftonline.com/\(guid)/v2.0", "https://login.microsoftonline.com/contoso.com/v2.0"),
    ("https://login.microsoftonline.com/{tenantid}/v2.0", "https://login.microsoftonline.com/common/v2.0"),
    ("https://login.microsoftonline.us/{tenantid}/v2.0", "https://login.microsoftonline.us/organizations/v2.0"),
    ("https://login.microsoftonline.com/\(other)/v2.0", "https://login.microsoftonline.com/consumers/v2.0"),
  ])
  func issuersOfTheSamePlaceAreRecognized(_ issuer: String, _ base: String) throws {
    try IssuerRule.check(issuer, from: base + Self.document, expected: nil)
  }

  @Test(arguments: [
    ("https://id.example.com/other", "https://id.example.com"), ("http://id.example.com", "https://id.example.com"),
    ("https://id.example.com/\(guid)/v2.0", "https://id.example.com/contoso.com/v2.0"),
    // Another tenant than the address names.
    ("https://contoso.b2clogin.com/\(other)/v2.0/", "https://contoso.b2clogin.com/\(guid)/b2c_1_in/v2.0"),
    ("https://\(other).ciamlogin.com/\(other)/v2.0", "https://contoso.ciamlogin.com/\(guid)/v2.0"),
    ("https://login.microsoftonline.com/\(other)/v2.0", "https://login.microsoftonline.com/\(guid)/v2.0"),
    // External ID names one tenant twice.
    ("https://\(guid).ciamlogin.com/\(other)/v2.0", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0"),
    ("https://evil.ciamlogin.com/\(guid)/v2.0", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0"),
    ("https://\(guid).ciamlogin.com.evil.example/\(guid)/v2.0", "https://contoso.ciamlogin.com/contoso.com/v2.0"),
    ("https://\(guid).ciamlogin.com/\(guid)/v2.0", "https://id.example.com/contoso.onmicrosoft.com/v2.0"),
    // A template, where only one tenant was asked for or the host is nobody who uses one.
    ("https://login.microsoftonline.com/{tenantid}/v2.0", "https://login.microsoftonline.com/\(guid)/v2.0"),
    ("https://id.example.com/{tenantid}/v2.0", "https://id.example.com/common/v2.0"),
    // The older protocol's.
    ("https://sts.windows.net/\(guid)/", "https://login.microsoftonline.com/\(guid)/v2.0"),
  ])
  func othersAreRefused(_ issuer: String, _ base: String) {
    #expect {
      try IssuerRule.check(issuer, from: base + Self.document, expected: nil)
    } throws: {
      let error = $0 as? OAuthError
      return error?.code == "issuer_mismatch"
        && error?.message == "the metadata document \(base)\(Self.document) names an issuer of another place: expected "
          + "\"\(base)\", got \"\(issuer)\""
        && error?.hint == "if that issuer is yours, put it into the settings as issuer"
    }
  }

  @Test func aTemplateIsFilledByTheTokensTenant() {
    let named = "https://login.microsoftonline.com/{tenantid}/v2.0"
    #expect(IssuerRule.issuer(named: named, tenant: Self.guid) == "https://login.microsoftonline.com/\(Self.guid)/v2.0")
    #expect(IssuerRule.issuer(named: named, tenant: nil) == nil)
    #expect(IssuerRule.issuer(named: named, tenant: "../evil") == nil)
    #expect(IssuerRule.issuer(named: "https://id.example.com", tenant: "../evil") == "https://id.example.com")
  }

  /// The template is put into the settings, as a document of this machine may not name one by itself.
  @Test @HostActor func tokensOfEveryTenantAreBelievedWhereTheIssuerIsATemplate() async throws {
    let provider = try Provider()
    let template = "\(provider.url)/{tenantid}/v2.0"
    provider.change { $0.metadata = ["issuer": .string(template)] }
    let client = try provider.client(["issuer": .string(template)])
    let issuer = "\(provider.url)/\(Self.guid)/v2.0"
    _ = try await IDTokenValidator(client).validate(
      idToken: provider.idToken(["iss": .string(issuer), "tid": .string(Self.guid)]), nonce: "n-1")
    for (iss, tid) in [(issuer, JSON.string(Self.other)), (issuer, .null), (template, .null), (template, "{tenantid}")]
    {
      let token = try provider.idToken(["iss": .string(iss), "tid": tid])
      let error = await oauthError { _ = try await IDTokenValidator(client).validate(idToken: token, nonce: "n-1") }
      #expect(error?.code == "issuer_mismatch")
    }
  }

  @Test @HostActor func aKeyForOneTenantSignsForNoOther() async throws {
    let provider = try Provider()
    let template = "\(provider.url)/{tenantid}/v2.0"
    var members = try #require(Provider.key?.json.object)
    members["issuer"] = .string("\(provider.url)/\(Self.other)/v2.0")
    let key = try JWK(.object(members))
    provider.change {
      $0.metadata = ["issuer": .string(template)]
      $0.keys = [key]
    }
    let client = try provider.client(["issuer": .string(template)])
    func token(_ tenant: String) throws -> String {
      try provider.idToken(["iss": .string("\(provider.url)/\(tenant)/v2.0"), "tid": .string(tenant)])
    }
    _ = try await IDTokenValidator(client).validate(idToken: token(Self.other), nonce: "n-1")
    let error = await oauthError {
      _ = try await IDTokenValidator(client).validate(idToken: token(Self.guid), nonce: "n-1")
    }
    #expect(
      error?.message
        == "the ID token is signed by a key of another issuer: expected \"\(provider.url)/\(Self.other)/v2.0\", got "
        + "\"\(provider.url)/\(Self.guid)/v2.0\"")
  }
}
