import CommandLineSupport
import Foundation
import HTTPServer
import JSON
import Testing

@Suite("b2c-run doctor")
struct DoctorCommandTests {
  /// The result of a check, with its name.
  private struct Check: Decodable {
    var name: String
    var status: String
    var message: String
    var hint: String?
  }

  private func checks(_ program: Program, _ arguments: String...) throws -> (Program.Result, [String: Check]) {
    let result = try program.run(list: arguments + ["doctor", "--json"])
    let list = try JSONDecoder().decode([Check].self, from: Data(result.output.utf8))
    return (result, Dictionary(list.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
  }

  @Test("offers of the provider, with what uses them")
  func offers() throws {
    let provider = try ScriptedProvider(metadata: [
      "pushed_authorization_request_endpoint": "https://login.example/par", "introspection_endpoint": .null,
      "device_authorization_endpoint": "https://login.example/device",
      "dpop_signing_alg_values_supported": ["ES256", "\u{1B}[31mred"],
      "grant_types_supported": ["authorization_code", "urn:ietf:params:oauth:grant-type:token-exchange"],
    ])
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let lines = try program.run("doctor").output.split(separator: "\n").map(String.init)
    for (offer, use) in [
      ("pushed authorization requests (RFC 9126)", "accounts.sign_in { par = true }"),
      ("device authorization (RFC 8628)", "accounts.sign_in { flow = \"device_code\" }"),
      ("token exchange (RFC 8693)", "oauth.exchange"),
    ] {
      let index = try #require(lines.firstIndex(of: "ok      offers       \(offer)"), "\(lines)")
      #expect(lines[index + 1].hasSuffix("-> \(use)"), "\(lines)")
    }
    #expect(lines.contains("ok      offers       DPoP proofs (RFC 9449): ES256, ␛[31mred"), "\(lines)")
    #expect(lines.contains("ok      offers       token exchange (RFC 8693)"))
    #expect(!lines.contains { $0.contains("introspection") })
    // No sign-in was tried to find out which options there are.
    #expect(!lines.contains { $0.contains("unknown option") })
  }

  @Test("sign-ins that the metadata show to fail are warnings")
  func wouldFail() throws {
    let provider = try ScriptedProvider(metadata: [
      "code_challenge_methods_supported": ["plain"], "response_types_supported": ["id_token"],
      "grant_types_supported": ["client_credentials"], "token_endpoint_auth_methods_supported": ["private_key_jwt"],
      "require_signed_request_object": true,
      "mtls_endpoint_aliases": ["token_endpoint": "http://mtls.example/token"],
    ])
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let result = try program.run(
      "--set", "scopes=openid offline_access", "--set", "clientAuthentication=client_secret_post", "doctor")
    let warnings = result.output.split(separator: "\n").filter { $0.hasPrefix("warning offers       ") }
      .map { String($0.dropFirst("warning offers       ".count)) }
    #expect(
      warnings == [
        "the provider refuses authorization requests that are not signed",
        "the provider does not list the PKCE method S256, which the stock flows use: plain",
        "the provider does not list the response type code: the flow authorization_code would fail",
        "the provider does not list the grant authorization_code: client_credentials",
        "the provider does not list the grant refresh_token: people sign in again when the access token expires",
        "the setting clientAuthentication is client_secret_post, and the provider lists private_key_jwt",
        "the alias for client certificates of token_endpoint is not an https address: http://mtls.example/token",
      ], "\(result)")
  }

  @Test("metadata with members of other types are no failure of doctor")
  func oddMetadata() throws {
    let provider = try ScriptedProvider(metadata: [
      "grant_types_supported": "authorization_code", "code_challenge_methods_supported": [["S256"], 7],
      "mtls_endpoint_aliases": "none", "dpop_signing_alg_values_supported": ["a": 1], "introspection_endpoint": 7,
    ])
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let result = try program.run("doctor")
    #expect(result.output.contains("offers       token introspection (RFC 7662)"), "\(result)")
    #expect(!result.errors.contains("offers.lua"), "\(result)")
  }

  @Test("a provider that shows its page for prompt=none, as django-oauth-toolkit fails at it, is no failure")
  func noSilentAnswer() throws {
    for status in [200, 500] {
      let provider = try ScriptedProvider(.none, silentStatus: status)
      let program = try Program()
      try program.write("settings.plist", provider.settings)
      let application = try #require(try checks(program).1["application"])
      #expect(application.status == "warning", "\(application)")
      #expect(
        application.message.hasPrefix(
          "the provider shows its sign-in page; whether it knows app cannot be asked without one: "),
        "\(application)")
    }
    let refusing = try ScriptedProvider(.none, silentStatus: 400, pageStatus: 400)
    let program = try Program()
    try program.write("settings.plist", refusing.settings)
    #expect(try checks(program).1["application"]?.status == "failed")
  }

  @Test("without settings it says how to get some")
  func noSettings() throws {
    let (result, checks) = try checks(Program())
    #expect(result.status == 1)
    #expect(result.errors == "b2c-run: 1 of 8 checks failed\n")
    let settings = try #require(checks["settings"])
    #expect(settings.status == "failed")
    #expect(
      settings.hint?.hasSuffix(
        "or try the local tenant with --local; b2c-run tenant > settings.plist serves one that goes with it") == true)
    #expect(checks["metadata"]?.status == "skipped")
    #expect(checks["browser"]?.status == "warning")
    #expect(checks["browser"]?.hint != nil)
  }

  @Test("settings that are wrong, with file and line; those that lack something")
  func badSettings() throws {
    let program = try Program()
    try program.write("settings.json", "{\n  \"clientID\": \"<client ID>\" }")
    let placeholder = try checks(program, "--settings", "settings.json").1["settings"]
    #expect(
      placeholder?.message
        == "settings.json:2: clientID is still the placeholder \"<client ID>\"; put your application's client ID there")
    try program.write("settings.json", "{ \"taskAPI\": \"https://tasks.example.com\" }")
    let (result, lacking) = try checks(program, "--settings", "settings.json")
    #expect(result.status == 1)
    #expect(
      lacking["settings"]?.message
        == "settings from settings.json: clientID, redirectURL (or bhh), authority (or authURL) is missing")
  }

  @Test("the window: where its program and a display are, and where not")
  func webView() throws {
    let program = try Program()
    let path = try program.write("bin/b2c-webview", "#!/bin/sh\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let folder = program.folder.appending(path: "bin").path
    func line(_ environment: [String: String]) throws -> Substring? {
      try program.run(list: ["doctor"], environment: environment.merging(["PATH": "\(folder):/usr/bin:/bin"]) { $1 })
        .output.split(separator: "\n").first { $0.contains(" webview ") }
    }
    #expect(try line(["DISPLAY": ":9"]) == "ok      webview      a window can be opened (agent webview)")
    #expect(
      try line([:])
        == "skipped webview      no window can be opened without a display: neither DISPLAY nor WAYLAND_DISPLAY is set")
  }

  @Test("a provider that is not there")
  func unreachable() throws {
    let tenant = try RunningTenant()
    tenant.stop()
    let (result, checks) = try checks(tenant.program)
    #expect(result.status == 1)
    let metadata = try #require(checks["metadata"])
    #expect(metadata.status == "failed")
    #expect(metadata.message.contains("127.0.0.1"), "\(metadata)")
    #expect(checks["TLS"]?.status == "skipped")
    #expect(checks["policy"]?.status == "skipped", "once is enough")
    #expect(checks["task API"]?.status == "failed")
    #expect(checks["vault"]?.status == "ok")
  }

  @Test("a certificate nobody vouches for")
  func certificate() throws {
    let provider = try ScriptedProvider(tls: .selfSigned())
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let metadata = try #require(try checks(program).1["metadata"])
    #expect(metadata.status == "failed")
    #expect(metadata.message.contains("certificate"), "\(metadata)")
    #expect(metadata.hint?.contains("--cacert") == true, "\(metadata)")
  }

  @Test("a policy there is not, by its name in the settings")
  func missingPolicy() throws {
    let tenant = try RunningTenant { $0.replacing("<string>b2c_1_reset</string>", with: "<string>b2c_1_gone</string>") }
    let result = try tenant.program.run("doctor")
    #expect(result.status == 1)
    #expect(result.output.contains("\nFAILED  policy       reset is b2c_1_gone: the metadata document "), "\(result)")
    #expect(result.output.contains("\nok      policy       signIn is b2c_1_susi\n"))
  }

  @Test("scopes that bring no access token, or no refresh token")
  func scopes() throws {
    let tenant = try RunningTenant()
    let none = try #require(try checks(tenant.program, "--set", "scopes=openid profile").1["scopes"])
    #expect(none.status == "failed")
    #expect(
      none.message
        == "Azure AD B2C gives no access token for the scopes openid profile, which name no API")
    let once = try #require(
      try checks(tenant.program, "--set", "scopes=openid 9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093").1["scopes"])
    #expect(once.status == "warning")
    #expect(once.hint == "add offline_access to scopes in the settings")
  }

  @Test("a redirect URL on this machine, its port free or taken; one elsewhere")
  func redirect() throws {
    let tenant = try RunningTenant()
    func check(_ url: String) throws -> Check? { try checks(tenant.program, "--set", "bhh=\(url)").1["redirect"] }
    let free = try check("http://localhost/signed-in")
    #expect(free?.message == "http://localhost/signed-in: the browser comes back to this machine (agent system)")
    let server = try HTTPServer { _ in ServerResponse(status: 200) }
    defer { server.stop() }
    let taken = try #require(try check("http://127.0.0.1:\(server.port)/"))
    #expect(taken.status == "failed")
    #expect(taken.message == "the browser cannot come back to port \(server.port): another program listens there")
    #expect(taken.hint?.contains("redirectURL") == true)
    let elsewhere = try check("com.example.tasks://signed-in")
    #expect(elsewhere?.status == "ok")
    #expect(
      elsewhere?.message == "com.example.tasks://signed-in: you paste the last URL of the browser (agent terminal)")
  }

  @Test(
    "a clock that is wrong",
    arguments: [
      (1800.0, "failed", "30 min behind"), (-1800, "failed", "30 min ahead of"), (120, "warning", "2 min behind"),
    ])
  func clock(ahead: Double, status: String, words: String) throws {
    let provider = try ScriptedProvider(clockAhead: ahead)
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    let clock = try #require(try checks(program).1["clock"])
    #expect(clock.status == status)
    #expect(clock.message == "this machine's clock is \(words) the provider's")
    #expect(clock.hint == "set it right, for example with systemd-timesyncd")
  }

  @Test("a task API that is missing, or elsewhere")
  func taskAPI() throws {
    let tenant = try RunningTenant()
    let elsewhere = try #require(try checks(tenant.program, "--set", "tasksPath=/nowhere").1["task API"])
    #expect(elsewhere.status == "failed")
    #expect(elsewhere.message.hasSuffix("/nowhere answered 404"))
    #expect(elsewhere.hint == "see taskAPI and tasksPath in the settings")
    let program = try Program()
    try program.write(
      "settings.plist", tenant.settings.replacing(#/<key>taskAPI<\/key>\n *<string>.*<\/string>/#, with: ""))
    let missing = try #require(try checks(program).1["task API"])
    #expect(missing.status == "warning")
    #expect(missing.message == "taskAPI is missing, without which b2c.tasks does nothing")
  }

  @Test("a store that is damaged, and a key that others can read")
  func store() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let folder = tenant.program.folder.appending(path: ".local/state/b2c-run")
    let key = folder.appending(path: "accounts-com_2e_onmicrosoft_2e_contoso_2e_tasks.key")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
    let vault = try #require(try checks(tenant.program).1["vault"])
    #expect(vault.status == "failed")
    #expect(vault.message.contains(key.path), "\(vault)")
    try Data("not a database, but long enough to be one".utf8).write(to: folder.appending(path: "accounts.sqlite"))
    let (result, checks) = try checks(tenant.program)
    #expect(result.status == 1)
    #expect(checks["store"]?.status == "failed")
    #expect(checks["store"]?.message.contains("accounts.sqlite") == true)
  }
}
