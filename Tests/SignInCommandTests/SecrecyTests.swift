import CommandLineSupport
import Foundation
import Testing

@Suite("Secrets stay where they belong")
struct SecrecyTests {
  /// Signs in after a wrong password, then goes wrong in every way that may repeat a secret.
  private static let script = """
    local b2c = require "b2c"
    local accounts, log = b2c.accounts, b2c.log
    local function try(f, ...)
      local ok, e = pcall(f, ...)
      print(ok, tostring(e))
      if not ok then log.error(tostring(e), { code = e.code, hint = e.hint, trace = e.traceback }) end
    end

    accounts.on_failed(function(failure)
      log.warn(failure.error.message)
      return { password = b2c.args[2] }
    end)
    local alice = accounts.sign_in { agent = "headless", username = "alice", password = b2c.args[1] }
    local token = alice:token()
    log.debug("the token is " .. token:reveal(), { token = token, revealed = token:reveal() })
    print(token, alice, b2c.json.encode(alice.claims))
    try(b2c.tasks.add, "x")
    try(b2c.tasks.list)
    try(alice.refresh, alice)
    try(alice.request, alice, { url = b2c.settings.taskAPI .. "/nowhere?token=" .. token:reveal() })
    try(b2c.json.encode, { token })
    error("at last: " .. token:reveal())
    """

  @Test(
    "neither output nor files hold a password, code, verifier or token",
    arguments: [
      ScriptedProvider.Flaw.none, .tokenRefusal, .foreignKey, .wrongState, .tokenNotJSON,
    ])
  func nothingGetsOut(flaw: ScriptedProvider.Flaw) throws {
    let provider = try ScriptedProvider(flaw)
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    try program.write("secrets.lua", Self.script)
    let wrongPassword = "wrong password 1/2"
    let result = try program.run(
      "--log-level", "debug", "secrets.lua", wrongPassword, ScriptedProvider.password)
    #expect(result.status == 1, "\(result)")

    let exchange = provider.exchange
    var secrets = [wrongPassword, ScriptedProvider.password, ScriptedProvider.code]
    if flaw == .none {
      secrets += [ScriptedProvider.accessToken, ScriptedProvider.refreshToken]
      #expect(exchange.refreshes > 0)
      #expect(result.errors.contains("at last: [secret]"), "\(result)")
    }
    if !exchange.verifier.isEmpty { secrets.append(exchange.verifier) }
    let search = SecretSearch(secrets)
    #expect(search.finds(in: result) == [])
    #expect(try search.files(in: program.folder, besides: ["settings.plist", "secrets.lua"]) == [])
  }
}
