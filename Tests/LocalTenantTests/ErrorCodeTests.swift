import HTTPClient
import HostLoop
import JOSE
import LocalTenant
import Markup
import Testing

/// A request for each error of B2C that a client can provoke. Those of locked accounts, forgotten passwords, canceled pages
/// and ID token hints are in the tests of the pages.
@HostActor @Suite struct ErrorCodeTests {
  typealias Provocation = @HostActor @Sendable (Browser) async throws -> String?

  struct Row: Sendable, CustomTestStringConvertible {
    let code: String
    /// Whether it changes the tenant for others.
    let needsItsOwnTenant: Bool
    let provoke: Provocation
    var testDescription: String { code }

    init(_ code: String, needsItsOwnTenant: Bool = true, _ provoke: @escaping Provocation) {
      self.code = code
      self.needsItsOwnTenant = needsItsOwnTenant
      self.provoke = provoke
    }

    /// At the authorization endpoint.
    static func authorize(_ code: String, _ changes: [String: String?]) -> Row {
      Row(code, needsItsOwnTenant: false) { browser in
        try await browser.authorize(changes)
        return browser.redirected["error_description"] ?? browser.page.alerts.first
      }
    }

    /// At the token endpoint, with a good code.
    static func redeem(_ code: String, _ changes: [String: String?]) -> Row {
      Row(code, needsItsOwnTenant: false) { browser in
        try await browser.signIn()
        return try await browser.redeem(code: browser.redirected["code"] ?? "", changes).body.complaint
      }
    }

    static func byPassword(_ code: String, at policy: String = "b2c_1_ropc", _ changes: [String: String?]) -> Row {
      Row(code, needsItsOwnTenant: false) { try await $0.at(policy: policy).signInByPassword(changes).body.complaint }
    }

    static func asApplication(_ code: String, _ changes: [String: String?]) -> Row {
      Row(code, needsItsOwnTenant: false) { try await $0.signInAsApplication(changes).body.complaint }
    }
  }

  nonisolated private static let rows: [Row] = [
    .authorize("90006", ["redirect_uri": "https://evil.example/"]),
    .authorize("90007", ["client_id": "e1f0b3a4-2c77-4b0e-8c19-6d8f0a5b7c21"]),
    .authorize("90287", ["redirect_uri": "not a URI"]),
    .authorize("90008", ["client_id": nil]),
    .authorize("90010", ["scope": nil]),
    .authorize("90018", ["client_id": "11111111-2222-3333-4444-555555555555"]),
    .authorize("90083", ["response_type": nil]),
    .authorize("90012", ["scope": Browser.allRoles]),
    .authorize("90055", ["response_type": "token", "scope": "openid"]),
    .authorize("90117", ["scope": "openid what"]),
    .authorize("90146", ["scope": "\(Browser.read) 9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093"]),
    .authorize("90205", ["scope": "https://contoso.onmicrosoft.com/tasks/admin"]),
    .authorize("90013", ["response_type": "magic"]),
    .authorize("90014", ["response_mode": "magic"]),
    .authorize("90043", ["prompt": "magic"]),
    .authorize("90120", ["max_age": "yesterday"]),
    .authorize("90077", ["prompt": "none"]),
    .authorize("90110", ["response_type": "id_token", "scope": Browser.read]),
    .authorize("90115", ["scope": "offline_access"]),
    .authorize("90183", ["code_challenge": "short"]),
    .authorize("90184", ["code_challenge_method": "magic"]),
    .redeem("90006", ["redirect_uri": "http://127.0.0.1:49152/other"]),
    .redeem("90080", ["code": "unknown"]),
    .redeem("90084", ["client_secret": "x"]),
    .redeem("90086", ["grant_type": "magic"]),
    .redeem("90182", ["code_verifier": "0123456789-0123456789-0123456789-012345678X"]),
    .redeem("90183", ["code_verifier": nil]),
    .redeem("90279", ["client_id": LocalTenant.webApplication.id, "client_secret": LocalTenant.webApplication.secret]),
    .asApplication("90058", ["client_id": "9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093", "client_secret": nil]),
    .asApplication("90079", ["client_secret": nil]),
    .asApplication("90081", ["client_secret": "wrong"]),
    .byPassword("90107", ["response_type": "id_token", "scope": Browser.read]),
    .byPassword("90224", at: "b2c_1_susi", [:]),
    .byPassword("90225", ["username": "nobody"]),
    Row("90057") { browser in
      try browser.tenant.setImplicit(enabled: false, forApplication: browser.clientID)
      return try await browser.at(policy: "b2c_1_ropc").signInByPassword(["response_type": "token id_token"]).body
        .complaint
    },
    Row("99059") { browser in
      try browser.tenant.setRequiresPKCE(true)
      try await browser.authorize(["code_challenge": nil, "code_challenge_method": nil])
      return browser.redirected["error_description"]
    },
    Row("90088", needsItsOwnTenant: false) { browser in
      let token = try await browser.tokens()["refresh_token"]?.string ?? ""
      return try await browser.at(policy: "b2c_1_signin").refresh(token).body.complaint
    },
    Row("90080") { browser in
      let token = try await browser.tokens()["refresh_token"]?.string ?? ""
      try browser.tenant.advance(seconds: 14 * 86_400)
      return try await browser.refresh(token).body.complaint
    },
    Row("90128") { browser in
      let token = try await browser.tokens()["refresh_token"]?.string ?? ""
      try browser.tenant.removeUser("alice")
      return try await browser.refresh(token).body.complaint
    },
    Row("90129", needsItsOwnTenant: false) { browser in
      let token = try await browser.tokens()["refresh_token"]?.string ?? ""
      _ = try await browser.ask("revoke", ["client_id": browser.clientID, "token": token])
      return try await browser.refresh(token).body.complaint
    },
    Row("90114") { browser in
      var complaint: String?
      for _ in 0..<20 where complaint?.hasPrefix("AADB2C90114") != true {
        complaint = try await browser.at(policy: "b2c_1_ropc").signInByPassword(["password": "wrong"]).body.complaint
      }
      return complaint
    },
  ]

  @Test(arguments: rows)
  func aRequestProvokesTheCode(row: Row) async throws {
    let browser = try row.needsItsOwnTenant ? Browser(LocalTenant()) : Browser.ofSharedTenant()
    let description = try #require(try await row.provoke(browser))
    #expect(description.hasPrefix("AADB2C\(row.code): "), "\(description)")
  }

  /// What has no cause here can be asked for.
  @Test(arguments: [
    "AADB2C90052", "AADB2C90053", "AADB2C90054", "AADB2C90087", "AADB2C90111", "AADB2C90244", "AADB2C90035",
    "AADB2C90273",
  ])
  func aFaultAnswersWithTheCode(code: String) async throws {
    let tenant = try LocalTenant()
    let browser = Browser(tenant)
    try tenant.addFault(TenantFault(headers: [("Retry-After", "3")], times: 2, errorCode: code))
    _ = try await browser.metadata()
    try await browser.authorize()
    #expect(browser.response.headers["Location"]?.hasPrefix(Browser.redirectURI + "?error=") == true)
    #expect(browser.redirected["error_description"]?.hasPrefix("\(code): ") == true)
    #expect(browser.redirected["error_description"]?.contains("\r\nCorrelation ID: ") == true)
    #expect(browser.redirected["state"] == "a state & more")
    #expect(browser.redirected["iss"] == "\(browser.base)/v2.0")
    let answer = try await browser.refresh("any")
    #expect(answer.status == ["AADB2C90244": 429, "AADB2C90035": 503][code] ?? 400)
    #expect(browser.response.headers["Retry-After"] == "3")
    #expect(answer.body.complaint.hasPrefix("\(code): "))
    try await browser.authorize()
    #expect(browser.page.title == "Sign in – Contoso")
  }

  @Test func aFaultOfAnUnknownCodeIsRefused() throws {
    let tenant = try LocalTenant()
    let error = #expect(throws: TenantError.self) { try tenant.addFault(TenantFault(errorCode: "AADB2C12345")) }
    #expect(error?.code == "invalid_fault")
    #expect(error?.message == "the local tenant knows no error AADB2C12345")
    #expect(error?.hint?.contains("AADB2C90244") == true)
  }
}
