import Glibc
import HTTPClient
import HTTPServer
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

@HostActor @Suite struct ControlTests {
  @Test func usersComeAndGo() async throws {
    let tenant = try LocalTenant()
    let user = try tenant.addUser(username: "dora", password: "x", displayName: "Dora")
    #expect(user.email == "dora@contoso.example")
    let browser = Browser(tenant)
    try await browser.signIn("dora", "x")
    #expect(browser.redirected["code"] != nil)
    for taken in ["DORA", "dora@contoso.example", "alice@CONTOSO.example"] {
      #expect(throws: TenantError.self) { try tenant.addUser(username: taken, password: "y") }
    }
    try tenant.removeUser("dora")
    let error = #expect(throws: TenantError.self) { try tenant.removeUser("dora") }
    #expect(error?.message == "the local tenant has no user dora")
    browser.cookies = CookieJar()
    try await browser.signIn("dora", "x")
    #expect(browser.response.status == 200)
  }

  @Test func theClockGoesForwardWithinReason() throws {
    let tenant = try LocalTenant()
    for seconds in [-1, .max] { #expect(throws: TenantError.self) { try tenant.advance(seconds: seconds) } }
    try tenant.advance(seconds: 86_400)
  }

  @Test func aNewKeySignsAndTheOldOneIsStillKnown() async throws {
    let tenant = try LocalTenant()
    let browser = Browser(tenant)
    let token = try await browser.tokens()["access_token"]?.string ?? ""
    func status() async throws -> Int {
      let headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
      return try await browser.http.send(HTTPRequest(url: "\(tenant.url)/api/tasks", headers: headers)).status
    }
    try tenant.rotateKeys()
    #expect(try await status() == 200)
    let published = try JSON(parsing: try await browser.get(browser.base + "/discovery/v2.0/keys").body)["keys"]?.array
    let keys = (published ?? []).filter { $0["use"] == "sig" }
    #expect(keys.count == 2)
    try await browser.authorize()
    let newer = try await browser.redeem(code: browser.redirected["code"] ?? "").body["id_token"]?.string ?? ""
    #expect(try JWT(decoding: newer).header["kid"] == keys[0]["kid"])
    #expect(try JWT(decoding: token).header["kid"] == keys[1]["kid"])
    try tenant.rotateKeys()
    #expect(try await status() == 401)
  }

  @Test func aDataFileKeepsEverything() async throws {
    var template = Array("/tmp/b2c-run-tests-XXXXXX".utf8CString)
    _ = mkdtemp(&template)
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
      for suffix in ["", "-wal", "-shm"] { unlink("\(folder)/tenant.sqlite\(suffix)") }
      rmdir(folder)
    }
    let configuration = TenantConfiguration(dataFile: "\(folder)/tenant.sqlite")
    var refreshToken = ""
    var kid: JSON?
    var url = ""
    do {
      let tenant = try LocalTenant(configuration)
      url = tenant.url
      let body = try await Browser(tenant).tokens()
      refreshToken = body["refresh_token"]?.string ?? ""
      kid = try JWT(decoding: body["id_token"]?.string ?? "").header["kid"]
      try tenant.removeUser("bob")
      tenant.stop()
    }
    let tenant = try LocalTenant(configuration)
    #expect(tenant.url == url)
    // The first tenant keeps its port, even if another tenant runs for a while.
    let second = try LocalTenant(configuration)
    #expect(second.url != url)
    second.stop()
    let body = try await Browser(tenant).refresh(refreshToken).body
    #expect(try JWT(decoding: body["id_token"]?.string ?? "").header["kid"] == kid)
    #expect(throws: TenantError.self) { try tenant.tasks(of: "bob") }
  }

  @Test func theClockShowsInTokens() async throws {
    let tenant = try LocalTenant(TenantConfiguration(clockOffset: -7200))
    let body = try await Browser(tenant).tokens()
    let claims = try JWT(decoding: body["id_token"]?.string ?? "").claims
    let issued = try #require(claims["iat"]?.lenientInteger)
    #expect(abs(Int(issued) - (time(nil) - 7200)) < 60)
  }

  @Test func theSettingsAndTheBannerNameWhatIsNeeded() throws {
    let tenant = try LocalTenant()
    #expect(tenant.settings["taskAPI"]?.string == tenant.url)
    #expect(
      tenant.settings["authURL"]?.string == "\(tenant.url)/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=b2c_1_susi")
    #expect(tenant.settingsFile.contains("<key>clientSecret</key>\n  <string></string>"))
    #expect(tenant.settings["policies"]?["reset"] == "b2c_1_reset")
    #expect(tenant.settingsFile.contains("    <key>mfa</key>\n    <string>b2c_1_mfa</string>"))
    let banner = tenant.banner(certificate: "/a/b.pem")
    for text in ["Wonderland-1", "/a/b.pem", tenant.url] { #expect(banner.contains(text)) }
  }

  @Test func aPortThatIsTakenIsNamed() throws {
    let first = try LocalTenant()
    let port = UInt16(first.url.split(separator: ":").last.map(String.init) ?? "") ?? 0
    let error = #expect(throws: TenantError.self) { try LocalTenant(TenantConfiguration(port: port)) }
    #expect(error?.code == "port_taken")
  }

  @Test func httpsIsTrustedByItsOwnCertificate() async throws {
    let identity = try TLSIdentity.selfSigned()
    let tenant = try LocalTenant(TenantConfiguration(tls: identity))
    var template = Array("/tmp/b2c-run-tests-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { unlink(path) }
    let pem = Array(identity.certificate.utf8)
    _ = write(descriptor, pem, pem.count)
    close(descriptor)
    #expect(tenant.url.hasPrefix("https://127.0.0.1:"))
    let base = tenant.url.replacing("127.0.0.1", with: "localhost") + "/contoso.onmicrosoft.com/b2c_1_susi"
    let browser = Browser(tenant, base: base, http: HTTPClient(HTTPClientConfiguration(caFile: path)))
    #expect(try await browser.tokens()["access_token"] != nil)
    try await browser.authorize(["prompt": "login"])
    await #expect(throws: HTTPError.self) { try await HTTPClient().send(HTTPRequest(url: tenant.url)) }
  }
}
