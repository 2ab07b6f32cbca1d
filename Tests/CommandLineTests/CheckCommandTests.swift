import Foundation
import Testing

/// Mistakes that are found without running the script.
@Suite("check")
struct CheckCommandTests {
  static let start = "local b2c = require \"b2c\"\nlocal tasks, async = b2c.tasks, require \"b2c.async\"\n"

  @Test(
    "finds what is wrong, and where",
    arguments: [
      ("local x = = 2", "1:11: expected expression near '=' (011)"),
      ("local x <const> = 1\nx = x + 1", "2:1: attempt to assign to const variable 'x' (011)"),
      ("print(undefined)", "1:7: accessing undefined variable 'undefined' (113)"),
      ("pirnt(1)", "1:1: accessing undefined variable 'pirnt'; did you mean 'print'? (113)"),
      ("string.fromat('')", "1:1: accessing undefined field 'fromat' of global 'string'; did you mean 'format'? (143)"),
      (
        "tasks.list()",
        "1:1: accessing undefined variable 'tasks'; write local tasks = require \"b2c.tasks\" (113)"
      ),
      ("print(b2c)", "1:7: accessing undefined variable 'b2c'; write local b2c = require \"b2c\" (113)"),
      ("expect(1)", "1:1: accessing undefined variable 'expect', which there is in tests (*_test.lua) only (113)"),
      ("local unused = 1", "1:7: unused variable 'unused' (211)"),
      ("do return end\nprint 'never'", "2:1: unreachable code (511)"),
      ("require 'b2c.task'", "1:9: there is no module 'b2c.task'; did you mean 'b2c.tasks'? (811)"),
    ])
  func ofLua(script: String, finding: String) throws {
    let program = try Program()
    try program.write("script.lua", script)
    let result = try program.run("check", "script.lua")
    #expect(result.output.split(separator: "\n").contains("script.lua:\(finding)"), "\(result)")
    #expect(result.status == 1)
  }

  @Test(
    "knows the API",
    arguments: [
      // Names.
      ("tasks.ad 'x'", "3:7: b2c.tasks has no 'ad'; did you mean 'add'? (811)"),
      ("b2c.task.add 'x'", "3:5: b2c has no 'task'; did you mean 'tasks'? (811)"),
      ("b2c.tenant.users.ad {}", "3:18: b2c.tenant.users has no 'ad'; did you mean 'add'? (811)"),
      ("b2c.accounts.get():tokn()", "3:20: account has no 'tokn'; did you mean 'token'? (811)"),
      ("local a = b2c.accounts.get() print(a.nam)", "3:38: account has no 'nam'; did you mean 'name'? (811)"),
      ("for t in tasks.each() do print(t.txt) end", "3:34: task has no 'txt'; did you mean 'text'? (811)"),
      ("for _, t in ipairs(tasks.list()) do print(t.txt) end", "3:45: task has no 'txt'; did you mean 'text'? (811)"),
      (
        "b2c.accounts.on_failed(function(f) print(f.eror) end)",
        "3:44: sign-in failure has no 'eror'; did you mean 'error'? (811)"
      ),
      // Options.
      (
        "tasks.import('a.csv', { concurency = 3 })",
        "3:25: tasks.import: unknown option 'concurency'; did you mean 'concurrency'? (812)"
      ),
      (
        "b2c.accounts.on_failed(function() return { polcy = 'reset' } end)",
        "3:44: accounts.on_failed: argument 1: returned unknown option 'polcy'; did you mean 'policy'? (812)"
      ),
      (
        "b2c.tenant.users.add { username = 'eva' }",
        "3:22: tenant.users.add: option 'password' is missing: expected a string or secret (813)"
      ),
      (
        "tasks.import('a', { resume = 'mach' })",
        #"3:30: tasks.import: option 'resume': expected a boolean or "match", got "mach" (814)"#
      ),
      // Arguments.
      ("tasks.add()", "3:1: tasks.add: argument 1: expected a string or new task, got nothing (813)"),
      ("tasks.add(12)", "3:11: tasks.add: argument 1: expected a string or new task, got 12 (814)"),
      ("tasks.add('x', {}, 3)", "3:20: tasks.add takes 2 arguments, got 3 (813)"),
      ("b2c.tenant.advance(1.5)", "3:20: tenant.advance: argument 1: expected an integer, got 1.5 (814)"),
      ("tasks:list()", "3:1: tasks.list is called with a dot (815)"),
      ("print(b2c.accounts.get().token())", "3:7: account:token is called with a colon (815)"),
      ("tasks.add = print", "3:1: b2c.tasks is read-only (816)"),
      // Waiting.
      (
        "table.sort({}, function() return #tasks.list() > 1 end)",
        "3:35: tasks.list has to wait, and Lua cannot pause in the function of table.sort; call it before, keep its "
          + "result, and use that here (821)"
      ),
      (
        "local function before(a, b) async.sleep(1) return a < b end local sort = table.sort sort({}, before)",
        "3:29: async.sleep has to wait, and Lua cannot pause in the function of table.sort; call it before, keep its "
          + "result, and use that here (821)"
      ),
      (
        "print(('x'):gsub('.', function(c) return tasks.add(c).text end))",
        "3:42: tasks.add has to wait, and Lua cannot pause in the function of string.gsub; call it before, keep its "
          + "result, and use that here (821)"
      ),
      (
        "return setmetatable({}, { __tostring = function() return tasks.list()[1].text end })",
        "3:58: tasks.list has to wait, and Lua cannot pause in __tostring; call it before, keep its result, and use that "
          + "here (821)"
      ),
    ])
  func ofAPI(line: String, finding: String) throws {
    let program = try Program()
    try program.write("script.lua", Self.start + line)
    let result = try program.run("check", "script.lua")
    #expect(result.output.split(separator: "\n").contains("script.lua:\(finding)"), "\(result)")
    #expect(result.status == 1)
  }

  @Test(
    "finds nothing where nothing is wrong, or nobody can tell",
    arguments: [
      "tasks.add('x', nil)", "io.stdout:write(tasks.formats[1])", "tasks.add(...)",
      "tasks.add(tasks.list()[1].text, { account = b2c.accounts.current() })",
      "print(b2c.settings.whatever, b2c.settings.with { whatever = 1 }.whatever)",
      "print(pcall(b2c.accounts.get().token, b2c.accounts.get()))",
      "local add = tasks.add if ... then add = print end add()",
      "table.sort({}, function(a, b) return a < b end) local t = tasks.list() table.sort(t, function() return #t > 1 end)",
      "local t = setmetatable({}, { __index = function(_, name) return tasks.add(name) end }) print(t.x)",
      "print(b2c.http.get('https://tasks.example').json().whatever)", "tasks.ad 'x' -- luacheck: ignore",
      "-- luacheck: ignore 811\ntasks.ad 'x'", "b2c.accounts.sign_in { settings = b2c.settings }",
      "local options = { concurrency = 3 } options.rate = 5 tasks.import('a.csv', options)",
      "print(b2c.oauth.metadata().introspection_endpoint, b2c.args[1], b2c.args.name)",
    ])
  func finds(line: String) throws {
    let program = try Program()
    try program.write("script.lua", Self.start + line + "\nreturn tasks, async")
    let result = try program.run("check", "script.lua")
    #expect(result.output == "", "\(result)")
    #expect(result.status == 0)
    #expect(result.errors == "info  1 file, nothing found\n")
  }

  @Test("takes folders, knows tests by their names, and counts")
  func folders() throws {
    let program = try Program()
    try program.write("sub/a_test.lua", "it('adds', function() expect(#tasks.list()).to_equal(0) end)")
    try program.write("sub/deep/b.lua", "#!/usr/bin/env b2c-run\nprint(undefined)")
    try program.write("sub/notes.txt", "no Lua")
    let result = try program.run("check", "sub")
    #expect(result.output == "sub/deep/b.lua:2:7: accessing undefined variable 'undefined' (113)\n")
    #expect(result.errors == "info  2 files, 1 found\n")
    #expect(try program.run("check", "nowhere").errors == "b2c-run: check: there is no file or folder 'nowhere'\n")
    #expect(try program.run("check").status == 2)
    try program.write("test_test.lua", "expect(1):to_equal(1) expect(2).to_be_like(2)")
    #expect(
      try program.run("check", "test_test.lua").output == """
        test_test.lua:1:1: expectation.to_equal is called with a dot (815)
        test_test.lua:1:33: expectation has no 'to_be_like'; did you mean 'to_be_nil'? (811)

        """)
  }

  @Test("finds nothing wrong with the stock scripts, the examples and what new writes")
  func ownScripts() throws {
    let program = try Program()
    #expect(try program.run("--quiet", "new", "starter").status == 0)
    let paths = ["scripts", "examples"].map { Program.project.appending(path: $0).path }
    let result = try program.run(list: ["check"] + paths + ["."])
    #expect(result.output == "", "\(result)")
    #expect(result.status == 0)
  }
}
