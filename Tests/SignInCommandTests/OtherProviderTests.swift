import CommandLineSupport
import Foundation
import Testing

@Suite("What scripts may know and do of accounts that are not their provider's")
struct OtherProviderTests {
  /// A store with an account of a tenant that is gone: each `--local` is another provider.
  private func ground() throws -> (program: Program, idToken: String) {
    let program = try Program()
    let result = try program.run("--local", "--store", "store", "-e", "io.write(tenant.sign_in():id_token():reveal())")
    #expect(result.status == 0, "\(result)")
    return (program, result.output)
  }

  @Test("no call opens the tokens, and no message tells whether a guess is right, whole or in part")
  func guesses() throws {
    let (program, idToken) = try ground()
    try program.write(
      "guess.lua",
      """
      local b2c = require "b2c"
      local account = b2c.accounts.all()[1]
      for _, call in ipairs {
        function() return account:can_refresh() end, function() return account:token() end,
        function() return b2c.accounts.sign_in { account = account, agent = "headless" } end,
        function() return account.claims end, function() return account.data end, function() account.data = {} end,
        function() account:save() end,
      } do
        local ok, e = pcall(call)
        print(ok, e.code)
      end
      for _, length in ipairs { 12, 20, 100, #b2c.args[1] } do
        local guess = b2c.args[1]:sub(1, length)
        for _, f in ipairs {
          function() b2c.settings.with { taskAPI = guess } end, function() error { message = guess } end,
          function() b2c.accounts.find { [guess] = 1 } end, function() b2c.accounts.get(guess) end,
          function() b2c.async.all { function() error(guess) end } end,
          function() b2c.tasks.import("rows.csv", { [guess] = 1 }) end, function() require(guess) end,
        } do
          local _, e = pcall(f)
          local text = tostring(e) .. " " .. tostring(e.message) .. " " .. tostring(e.hint)
          if text:find("[secret]", 1, true) then print("told", length, text) end
        end
      end
      """)
    let result = try program.run("--local", "--store", "store", "guess.lua", idToken)
    #expect(result.output == String(repeating: "false\tother_provider\n", count: 7), "\(result)")
    #expect(result.status == 0)
  }

  @Test("changing them needs a permission, and the stock commands go on to work")
  func changes() throws {
    let (program, _) = try ground()
    try program.write(
      "change.lua",
      """
      local accounts = require "b2c".accounts
      local account = accounts.all()[1]
      for _, call in ipairs {
        function() accounts.sign_out(account) end, function() accounts.sign_out(account, { everywhere = true }) end,
        function() accounts.use(account) end, function() accounts.move_vault "key_file" end,
      } do
        local ok, e = pcall(call)
        print(ok, e.code, e.hint)
      end
      """)
    let advice = "a person has to agree: run the script on a terminal, or use the command of b2c-run that does this"
    let refused = "false\tpermission_denied\t\(advice)\n"
    #expect(
      try program.run("--local", "--store", "store", "change.lua").output == String(repeating: refused, count: 4))
    #expect(try program.run("--local", "--store", "store", "accounts").output.contains("Alice Liddell"))
    let out = try program.run("--local", "--store", "store", "sign-out")
    #expect(out.output.hasPrefix("signed out  Alice Liddell"), "\(out)")
  }

  @Test("a denial names what would be done, whatever a script has had taken for a secret")
  func denial() throws {
    let script = """
      tenant.fault {
        path = settings.tokenURL:match "^%w+://[^/]+([^?]*)", status = 200,
        headers = { ["Content-Type"] = "application/json" },
        body = [[{ "access_token": "; touch pwned", "token_type": "Bearer" }]],
      }
      oauth.token { grant_type = "password", username = "alice", password = "Wonderland-1" }
      log.warn "; touch pwned"
      os.execute "git --version; touch pwned"
      """
    let result = try Program().run("--local", "-e", script)
    #expect(
      result.errors == """
        warn  [secret]
        b2c-run: (command line):8: os.execute: needs permission to run git --version; touch pwned
          hint: run with --allow-run

        """, "\(result)")
    #expect(result.status == 4)
  }

  @Test("a host with letters beyond ASCII is asked for as it is looked up")
  func lookalike() throws {
    let result = try Program().run("-e", "http.get 'https://\u{430}pple.com/'")
    #expect(
      result.errors == """
        b2c-run: (command line):1: http.get: needs permission to connect to xn--pple-43d.com, written as \u{430}pple.com
          hint: run with --allow-net=xn--pple-43d.com

        """, "\(result)")
  }
}
