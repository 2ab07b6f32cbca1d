import Foundation
import Testing

@Suite("Scripts that go wrong")
struct BadScriptTests {
  /// A script named `script.lua` and its exact output on standard error.
  struct Case: Sendable {
    var script: String
    var status: Int32 = 1
    var errors: String
  }

  static let cases: [Case] = [
    Case(script: "x = = 1\n", errors: "script.lua:1: unexpected symbol near '='"),
    Case(
      script: "b2c.accounts.sign_in { agnt = 'headless' }",
      errors: "script.lua:3: accounts.sign_in: unknown option 'agnt'\n  hint: did you mean 'agent'?"),
    Case(
      script: "b2c.accounts.sign_in { agent = 'headles' }",
      errors: """
        script.lua:3: accounts.sign_in: option 'agent': expected one of "system", "terminal", "headless", "webview" or agent, got "headles"
          hint: did you mean "headless"?
        """),
    Case(
      script: "b2c.tasks.import('x.csv', { concurrency = 'many' })",
      errors: "script.lua:3: tasks.import: option 'concurrency': expected a number, or MIN..MAX, got 'many'"),
    Case(
      script: "b2c.tasks.import('x.csv', { concurrency = 1.5 })",
      errors: "script.lua:3: tasks.import: option 'concurrency': expected an integer, string or table, got number"),
    Case(
      script: "b2c.async.sleep('soon')",
      errors: "script.lua:3: async.sleep: argument 1: expected a number, got string"),
    Case(
      script: "b2c.tasks.add()", errors: "script.lua:3: tasks.add: argument 1: expected a string or table, got nothing"),
    Case(
      script: "require 'helpers'",
      errors: """
        script.lua:3: module 'helpers' not found:
        \tno file './helpers.lua'
        \tno file './helpers/init.lua'
        stack traceback:
        \t[C]: in function 'error'
        \t(b2c-run):26: in function 'require'
        \tscript.lua:3: in main chunk
        """),
    Case(
      script: "b2c.accounts.sign_in { flow = 'magic' }",
      errors: """
        script.lua:3: there is no flow named 'magic'
          hint: give a function, or one of authorization_code, backchannel, client_credentials, device_code, native, password, refresh, silent
        """),
    Case(
      script: "b2c.accounts.sign_in { flow = function() return 1 end }",
      errors: """
        script.lua:3: the flow returned a number, expected the token response of oauth.token
          hint: end the flow with: return oauth.token { … }
        """),
    Case(
      script: "b2c.accounts.sign_in { agent = 'headless' }",
      errors: """
        script.lua:3: the page "Sign in – Contoso" at URL/contoso.onmicrosoft.com/oauth2/v2.0/authorize asks for a password, and none was given
          hint: give password = …, or fill the page in on_page
        """),
    Case(
      script: "b2c.accounts.sign_in { settings = b2c.settings.with { policies = b2c.json.null }, policy = 'reset' }",
      status: 3,
      errors: """
        script.lua:3: the local tenant: policies.reset is missing; put the name of your tenant's policy for it (b2c_1_…) there
          hint: add it to the settings, or give --set policies.reset=VALUE
        """),
    Case(script: "b2c.settings.clientID = 'x'", errors: "script.lua:3: settings.clientID cannot be set"),
    Case(
      script: "require 'b2c.taks'",
      errors: """
        script.lua:3: module 'b2c.taks' not found: b2c has accounts, args, async, browser, csv, http, imports, jose, json, log, oauth, secrets, settings, tasks, tenant, term, xml
        stack traceback:
        \t[C]: in function 'error'
        \t(b2c-run):22: in function 'require'
        \tscript.lua:3: in main chunk
        """),
    Case(
      script: "b2c.accounts.signin {}",
      errors: """
        script.lua:3: attempt to call a nil value (field 'signin')
          hint: b2c.accounts has no 'signin'; did you mean 'sign_in'?
        stack traceback:
        \tscript.lua:3: in main chunk
        """),
    Case(
      script: """
        b2c.accounts.on_changed(function(change)
          error("no room for " .. change.account.name)
        end)
        b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
        """,
      errors: """
        script.lua:6: a handler of on_changed failed: script.lua:4: no room for Alice Liddell
        stack traceback:
        \tscript.lua:6: in main chunk
        """),
    Case(
      script: """
        b2c.accounts.on_failed(function(failure)
          return { pasword = "Wonderland-1" }
        end)
        b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Looking-Glass" }
        """,
      errors: """
        script.lua:6: a handler of on_failed failed: accounts.sign_in: unknown option 'pasword'; it was called for this failure: the page "Error: Sign in – Contoso" refused the sign-in: We don't seem to recognize this user name and password. AADB2C90225
          hint: did you mean 'password'?
        """),
    Case(
      script: """
        b2c.async.map({ 1, 2, 3 }, function(number)
          b2c.async.sleep(0)
          local t
          if number == 2 then return t.x end
        end)
        """,
      errors: """
        script.lua:6: attempt to index a nil value (local 't')
        stack traceback:
        \tscript.lua:6: in function <script.lua:3>
        started by:
        \tscript.lua:3: in main chunk
        """),
    Case(
      script: """
        b2c.async.map({ 1 }, function()
          local co = coroutine.wrap(function()
            b2c.async.sleep(0)
            b2c.async.sleep("soon")
          end)
          co()
        end)
        """,
      errors: "script.lua:6: async.sleep: argument 1: expected a number, got string"),
    Case(
      script: """
        local co = coroutine.wrap(function()
          b2c.async.sleep(0)
          error({ 1 })
        end)
        b2c.async.map({ 1 }, function() co() end)
        """,
      errors: """
        error with a table value
        stack traceback:
        \t[C]: in upvalue 'co'
        \tscript.lua:7: in function <script.lua:7>
        started by:
        \tscript.lua:7: in main chunk
        """),
    Case(
      script: "b2c.async.map({ 1, 2 }, function() b2c.http.get('http://127.0.0.1:1/') end)",
      errors: """
        script.lua:3: cannot connect to 127.0.0.1:1 (connection refused)
          hint: check the address and its port, and whether the server runs
        """),
  ]

  @Test(arguments: cases)
  func wrong(example: Case) throws {
    let program = try Program()
    let isSyntax = example.script.hasPrefix("x")
    let head = isSyntax ? "" : "local b2c = require \"b2c\"\n\n"
    try program.write("script.lua", head + example.script)
    let result = try program.run("--local", "--allow-net=127.0.0.1:1", "script.lua")
    #expect(result.status == example.status)
    #expect(result.output == "")
    let errors = result.errors.replacing(#/http://127.0.0.1:\d{2,}/#, with: "URL")
    #expect(errors == "b2c-run: \(example.errors)\n")
  }

  @Test("what the host says is clear without a traceback; --log-level debug shows it all the same")
  func traceback() throws {
    let script = "b2c.async.map({ 1 }, function()\n  b2c.http.get('http://127.0.0.1:1/')\nend)"
    let message = """
      b2c-run: (command line):2: cannot connect to 127.0.0.1:1 (connection refused)
        hint: check the address and its port, and whether the server runs

      """
    #expect(try Program().run("--allow-net", "-e", script, "--set", "clientID=app").errors == message)
    #expect(
      try Program().run("--allow-net", "--log-level", "debug", "-e", script, "--set", "clientID=app").errors == message
        + """
        stack traceback:
        \t(command line):2: in function <(command line):1>
        started by:
        \t(command line):1: in main chunk

        """)
  }

  @Test("an empty script does nothing, and says nothing")
  func empty() throws {
    let program = try Program()
    try program.write("empty.lua", "")
    let result = try program.run("empty.lua")
    #expect(result.status == 0)
    #expect(result.output + result.errors == "")
  }

  @Test("a byte order mark is not part of the script")
  func byteOrderMark() throws {
    let program = try Program()
    try program.write("bom.lua", "\u{FEFF}#!/usr/bin/env b2c-run\nprint('here')\nerror('there')")
    let result = try program.run("bom.lua")
    #expect(result.output == "here\n")
    #expect(result.errors.hasPrefix("b2c-run: bom.lua:3: there\n"), "\(result)")
  }

  @Test("a folder is no script")
  func folder() throws {
    let program = try Program()
    try program.write("folder/x", "")
    let result = try program.run("folder")
    #expect(result.status == 2)
    #expect(result.errors == "b2c-run: the script folder is a folder, expected a Lua file\n")
  }

  @Test("compiled code is refused")
  func bytecode() throws {
    let program = try Program()
    try program.write("compiled.lua", "\u{1B}LuaT")
    let result = try program.run("compiled.lua")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: compiled.lua is compiled Lua, expected Lua source text
          hint: run the .lua file that it was made from; compiled code is not checked, and could break out of Lua

        """)
    let loaded = try program.run("-e", "print(string.dump, load('\\27Lua', 'x', 'b'))")
    #expect(loaded.output == "nil\tnil\tcompiled code cannot be loaded, only source text (mode \"t\")\n")
  }
}
