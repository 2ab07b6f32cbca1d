import CommandLineSupport
import Foundation
import Testing

@Suite("Secrets stay where they belong, in every flow")
struct SecrecyFlowTests {
  static let webSecret = "local-secret-of-the-web-app"
  static let wrong = (password: "wrong pässword 1/2+3", code: "135792", clientSecret: "wrong&client=secret'\"+é")

  /// The settings of the tenant's confidential application.
  static func asWebApplication(_ settings: String) -> String {
    settings.replacing("9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093", with: "b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b")
      .replacing(
        "<key>clientSecret</key>\n  <string></string>", with: "<key>clientSecret</key>\n  <string>\(webSecret)</string>"
      )
  }

  @Test(
    "neither output nor any file holds a password, code, verifier or token, nor does the tenant's own or a trace",
    arguments: ["trace.json", "trace.har", "trace.html"])
  func everyFlow(trace: String) throws {
    let tenant = try RunningTenant(data: "tenant.sqlite", Self.asWebApplication)
    let program = tenant.program
    let list = FileManager.default.temporaryDirectory.appending(path: "b2c-run-secrets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: list) }
    try program.write("flows.lua", Self.script)
    let result = try program.run(
      "--trace", trace, "--log-level", "debug", "--settings", "settings.plist", "--store", "kept",
      "--allow-write=\(list.path)",
      "flows.lua", list.path,
      Self.wrong.password, Self.wrong.code, Self.wrong.clientSecret)
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("b2c-run: flows.lua:"))
    #expect(result.errors.contains(": at last [secret] [secret]\n"), "\(result)")
    #expect(result.output.hasSuffix("all flows were there\n"), "\(result)")

    let noted = try String(contentsOf: list, encoding: .utf8).split(separator: "\0").map(String.init)
    #expect(noted.count > 20)
    let given = ["Wonderland-1", "Skyscraper-2", Self.webSecret, Self.wrong.password, Self.wrong.clientSecret]
    #expect(SecretSearch(noted + given + [Self.wrong.code]).finds(in: result) == [])
    // Six digits may well be part of a number.
    let search = SecretSearch(noted + given)
    for name in ["tenant.sqlite", "tenant.sqlite-wal", "kept/accounts.sqlite", trace] {
      #expect(FileManager.default.fileExists(atPath: program.folder.appending(path: name).path), "\(name)")
    }
    #expect(try search.files(in: program.folder, besides: ["settings.plist", "flows.lua"]) == [])
  }

  @Test(
    "an error nobody catches does not show the secret in it",
    arguments: [
      "error(token)", "error(revealed)", "error { message = revealed, code = revealed, hint = revealed }",
      "error(setmetatable({}, { __tostring = function() return revealed end }))",
      "coroutine.wrap(function() error('in here ' .. revealed, 0) end)()",
      "b2c.async.all { function() error(revealed) end }", "local t = {} t[revealed].x = 1", "b2c.http.get(revealed)",
      "b2c.settings.with { taskAPI = revealed }", "b2c.accounts.sign_in { [revealed] = 1 }", "require(revealed)",
      "local f <close> = setmetatable({}, { __close = function() error(revealed) end })", "_G[revealed]()",
      "load('x = = ' .. revealed .. ' =', revealed)()", "assert(load('x = \"' .. revealed))()",
      "b2c.accounts.on_changed(function() error(revealed) end) sign_in()", "io.open(revealed .. '/x'):read()",
      "dofile(revealed)", "b2c.log.error(revealed, { [revealed] = revealed }) error()",
      "b2c.json.decode('{' .. revealed)", "b2c.accounts.get(revealed)", "b2c.tasks.import(revealed .. '.csv')",
      "b2c.browser.open('ftp://' .. revealed, { agent = 'headless' })", "b2c.oauth.decode(revealed .. revealed)",
    ])
  func uncaught(statement: String) throws {
    let program = try Program()
    let password = "Bread&Butterfly 3/4'é"
    try program.write(
      "error.lua",
      """
      local b2c = require "b2c"
      b2c.tenant.users.add { username = "eve", password = b2c.args[1] }
      local function sign_in()
        return b2c.accounts.sign_in { agent = "headless", username = "eve", password = b2c.args[1] }
      end
      local token = sign_in():token()
      local revealed = token:reveal()
      print(token)
      \(statement)
      """)
    let result = try program.run("--local", "--log-level", "debug", "error.lua", password)
    #expect(result.status != 0)
    #expect(result.output == "[secret]\n")
    #expect(SecretSearch([password]).finds(in: result) == [], "\(result)")
    #expect(!result.errors.contains("eyJ"), "\(result)")
  }

  @Test("a provider that repeats what it was sent, however it spells that", arguments: ScriptedProvider.Echo.allCases)
  func echo(echo: ScriptedProvider.Echo) throws {
    let provider = try ScriptedProvider(.echo(echo))
    let program = try Program()
    let clientSecret = "client&secret 'q'/\"é\"+1"
    try program.write("settings.plist", provider.settings)
    try program.write("secret.txt", clientSecret + "\n")
    try program.write(
      "echo.lua",
      """
      local b2c = require "b2c"
      local password, refresh_token = b2c.args[1], b2c.args[2]
      local function fails(options)
        for name, value in pairs { agent = "headless", username = "alice", password = password } do options[name] = value end
        local ok, e = pcall(b2c.accounts.sign_in, options)
        print(ok, e, e.code, e.hint, b2c.json.encode(e.details or {}), e.traceback)
      end
      fails { flow = "authorization_code" }
      fails { flow = "password" }
      fails { flow = "client_credentials" }
      fails { flow = "refresh", refresh_token = refresh_token }
      b2c.accounts.sign_in { flow = "refresh", refresh_token = refresh_token }
      """)
    let refreshToken = "refresh-token/of+alice=="
    let result = try program.run(
      "--trace", "trace.json", "--log-level", "debug", "--set", "clientSecret=@secret.txt", "echo.lua",
      ScriptedProvider.password, refreshToken)
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("[secret]"), "\(result)")
    let verifier = provider.exchange.verifier
    #expect(!verifier.isEmpty)
    let search = SecretSearch([
      ScriptedProvider.password, ScriptedProvider.code, clientSecret, refreshToken, verifier,
      "app:\(clientSecret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")",
    ])
    #expect(search.finds(in: result) == [], "\(result)")
    #expect(try search.files(in: program.folder, besides: ["settings.plist", "secret.txt"]) == [])
  }
}
