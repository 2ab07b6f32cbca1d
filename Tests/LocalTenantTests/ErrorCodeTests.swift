import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

/// Provokes each B2C error that a client may have to handle: with a request if one exists, else with a fault.
@HostActor @Suite struct ErrorCodeTests {
  typealias Provocation = @HostActor @Sendable (Browser) async throws -> String?

  struct Row: Sendable, CustomTestStringConvertible {
    let code: String
    /// True if the row changes the tenant for other tests.
    let needsItsOwnTenant: Bool
    let provoke: Provocation
    var testDescription: String { code }

    init(_ code: String, needsItsOwnTenant: Bool = true, _ provoke: @escaping Provocation) {
      self.code = code
      self.needsItsOwnTenant = needsItsOwnTenant
      self.provoke = provoke
    }

    /// An error at the authorization endpoint.
    static func authorize(_ code: String, _ changes: [String: String?]) -> Row {
      Row(code, needsItsOwnTenant: false) { browser in
        try await browser.authorize(changes)
        return browser.redirected["error_description"] ?? browser.page.alerts.first
      }
    }

    /// An error at the token endpoint, with a valid code.
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
    Row("90091", needsItsOwnTenant: false) { browser in
      try await browser.authorize()
      try await browser.submit([:], button: "cancel")
      return browser.redirected["error_description"]
    },
    Row("90118", needsItsOwnTenant: false) { browser in
      try await browser.authorize()
      try await browser.follow("Forgot your password?")
      return browser.redirected["error_description"]
    },
    Row("90208") { browser in
      let hint = try await browser.tokens()["id_token"]?.string
      try browser.tenant.advance(seconds: 3600)
      try await browser.authorize(["id_token_hint": hint])
      return browser.redirected["error_description"]
    },
    Row("90209", needsItsOwnTenant: false) { browser in
      let hint = try await browser.tokens()["id_token"]?.string
      let other = LocalTenant.webApplication.id
      try await browser.authorize(["id_token_hint": hint, "client_id": other, "scope": "openid"])
      return browser.redirected["error_description"]
    },
    .authorize("90210", ["id_token_hint": "x.y.z"]),
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

  /// The local tenant never causes these errors itself, but a fault can.
  nonisolated private static let withoutCause = [
    "90052", "90053", "90054", "90087", "90111", "90244", "90035", "90273",
  ]

  @Test func noCodeIsLeftOut() {
    let all = [
      90118, 90091, 90273, 90077, 90080, 90128, 90129, 90088, 90087, 90279, 90205, 90006, 90007, 90287, 90008, 90010,
      90018, 90083, 90012, 90055, 90117, 90146, 90013, 90014, 90086, 90057, 90058, 90079, 90081, 90084, 90107, 90110,
      90115, 90182, 90183, 90184, 99059, 90052, 90053, 90054, 90225, 90224, 90111, 90114, 90244, 90035, 90208, 90209,
      90210,
    ]
    #expect(Set(all.map(String.init)).subtracting(Self.rows.map(\.code)) == Set(Self.withoutCause))
  }

  @Test(arguments: withoutCause)
  func aFaultAnswersWithTheCode(number: String) async throws {
    let code = "AADB2C\(number)"
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
