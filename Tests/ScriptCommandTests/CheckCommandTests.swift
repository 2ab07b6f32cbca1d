import CommandLineSupport
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

  /// `serve` would refuse these, or run none of them.
  @Test(
    "reads the declarations of jobs as the server does",
    arguments: [
      ("{ on = { cron = '61 * * * *' } }", "3:18: b2c.job: on.cron: minute: expected 0 to 59, got 61"),
      (
        "{\n  on = {\n    { start = true },\n    { every = '5 minutes' } } }",
        "6:7: b2c.job: on[2].every: expected a length"
      ),
      ("{ summary = 'x' }", "3:1: b2c.job: on: is missing"),
      ("{ on = { start = true }, retry = { attempts = 0 } }", "3:44: b2c.job: retry.attempts: expected a whole number"),
      ("{ on = { webhook = '/a' } }", "b2c.job: on.secret: the scheme standard needs the name of a secret"),
      ("{ on = { files = '/proc/self/*' } }", "3:18: b2c.job: on.files: the kernel's files"),
      ("{ on = { calendar = { day = '31', month = 'feb' } } }", "3:18: b2c.job: on.calendar: no year has such a day"),
      ("{ on = { at = '2027-02-30 18:00' } }", "there is no day 2027-02-30"),
      ("{ on = { cron = '@reboot' } }", "start = true"),
      ("{ on = { every = '1h', zone = 'UTC' } }", "there is no such key"),
      ("{ on = { start = true }, catch_up = 'always' }", "catch_up"),
      ("{ on = { cron = ('0 9 * * *'):rep(1) }, timeout = '5 m' }", "b2c.job: timeout: expected a length"),
      ("{ on = { { every = b2c.args[1] }, { cron = 'x' } } }", "b2c.job: on[2].cron"),
    ])
  func jobs(_ declaration: String, _ finding: String) throws {
    let program = try Program()
    try program.write("jobs/job.lua", "\(Self.start)b2c.job \(declaration)\nprint(tasks, async)\n")
    let result = try program.run("check", "jobs/job.lua")
    #expect(result.status == 1 && result.output.contains(finding), "\(result)")
    // A mistake is told once.
    #expect(result.output.split(separator: "\n").count == 1, "\(result)")
  }

  @Test(
    "accepts declarations that may be right, and says what they need",
    arguments: [
      ("{ on = { every = b2c.args[1] } }", ""), ("{ on = { start = true }, [b2c.args[1]] = 1 }", ""),
      (
        "{ on = { files = 'inbox/*.csv' } }",
        "job.lua:3: the job needs --allow-read=inbox for the files that start the job: inbox/*.csv"
      ),
      ("{ on = { cron = '0 9 1 * mon' } }", "cron joins both by OR"),
    ])
  func jobNotes(_ declaration: String, _ note: String) throws {
    let program = try Program()
    try program.write("jobs/job.lua", "\(Self.start)b2c.job \(declaration)\nprint(tasks, async)\n")
    let result = try program.run("check", "jobs/job.lua")
    #expect(result.status == 0 && (note.isEmpty || result.errors.contains(note)), "\(result)")
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
      ("local t = tasks.add 'x' print(t.txt)", "3:33: task has no 'txt'; did you mean 'text'? (811)"),
      ("local l = tasks.list() local t = l[#l] print(t.txt)", "3:48: task has no 'txt'; did you mean 'text'? (811)"),
      // Loops.
      (
        "for t in tasks.each do print(t) end",
        "3:10: tasks.each is not called: a loop takes the iterator it returns; write tasks.each() (817)"
      ),
      (
        "for t in tasks.list do print(t) end",
        "3:10: tasks.list is not called: it returns a list of tasks; write ipairs(tasks.list()) (817)"
      ),
      ("for t in tasks.list() do print(t) end", "3:10: a loop cannot call a list of tasks; write ipairs(…) (817)"),
      // Options.
      (
        "b2c.accounts.sign_in { agent = 'headles' }",
        "3:32: accounts.sign_in: option 'agent': expected one of \"system\", \"terminal\", \"headless\", \"webview\", "
          + "got \"headles\"; did you mean 'headless'? (814)"
      ),
      (
        "local flow = 'pkse' b2c.accounts.sign_in { flow = flow }",
        "3:51: accounts.sign_in: option 'flow': expected one of \"authorization_code\", \"backchannel\", \"client_credentials\", "
          + "\"device_code\", \"native\", \"password\", \"refresh\", \"silent\", got \"pkse\"; where a plugin adds it, name that with "
          + "--plugin (814)"
      ),
      (
        "b2c.accounts.add_flow('own', { sign_in = print, refrsh = 1 }) b2c.accounts.sign_in { flow = 'own' }",
        "3:49: accounts.add_flow: argument 2: unknown field 'refrsh'; did you mean 'refresh'? (812)"
      ),
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
        #"3:30: tasks.import: option 'resume': expected a boolean or "match", got "mach"; did you mean 'match'? (814)"#
      ),
      (
        "b2c.term.options { positions = { { '[NAME]', 'who', usual = 'me' } } }",
        "3:53: term.options: option 'positions': element: unknown field 'usual' (812)"
      ),
      (
        "b2c.term.options { options = { { '--n N', 'x', typ = 'integer' } } }",
        "3:48: term.options: option 'options': element: unknown field 'typ'; did you mean 'type'? (812)"
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
      "b2c.accounts.sign_in { agent = ..., flow = function(ctx) print(ctx) end }",
      "for t in tasks.each() do print(t) end for i, t in ipairs(tasks.list()) do print(i, t) end for t in ... do print(t) end",
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

  static let plugin = """
    return {
      name = "corp", comands = {}, flows = { pkse = function(ctx) return ctx.opions end },
      commands = { greet = { summry = "Greets.", run = function() require "b2c.accounts".sign_in { flow = "pkse" } end } },
    }
    """
  static let pluginFindings = """
    corp.lua:2:18: plugin: unknown field 'comands'; did you mean 'commands'? (812)
    corp.lua:2:74: flow context has no 'opions'; did you mean 'options'? (811)
    corp.lua:3:26: plugin: field 'commands': field 'greet': unknown field 'summry'; did you mean 'summary'? (812)

    """

  @Test("knows what a plugin returns")
  func plugins() throws {
    let program = try Program()
    try program.write("corp.lua", Self.plugin)
    #expect(try program.run("check", "corp.lua").output == Self.pluginFindings)
    // A file in the folder of plugins is checked as a plugin even if it does not look like one.
    try program.write("plugins/other/init.lua", "return { hoks = 1 }")
    try program.write("plugins/other/module.lua", "return { hoks = 1 }")
    #expect(
      try program.run("check", "plugins").output
        == "plugins/other/init.lua:1:10: plugin: unknown field 'hoks'; did you mean 'hooks'? (812)\n")
  }

  @Test(
    "what is no plugin is not taken for one",
    arguments: [
      "return { name = 'x', version = '1', format = print, run = print }", "return { comands = {} }",
      "local t = { name = 'x', comands = {} } return t", "return { name = 'x', rows = {} }",
    ])
  func modules(source: String) throws {
    let program = try Program()
    try program.write("module.lua", source)
    #expect(try program.run("check", "module.lua").output == "")
  }

  @Test("where there are plugins, an agent, a flow or a format may be theirs")
  func wordsOfPlugins() throws {
    let program = try Program()
    try program.write("script.lua", "require 'b2c.tasks'.export('-', { format = 'cvs' })")
    try program.write("more.lua", "return { name = 'more' }")
    #expect(try program.run("check", "script.lua").status == 1)
    #expect(try program.run("--plugin", "more.lua", "check", "script.lua").output == "")
    try program.write("plugins/more.lua", "return { name = 'more' }")
    #expect(try program.run("check", "script.lua").output == "")
    #expect(try program.run("--no-plugins", "check", "script.lua").status == 1)
  }

  @Test("finds what is no permission in a header")
  func header() throws {
    let program = try Program()
    try program.write(
      "script.lua",
      """
      #!/usr/bin/env b2c-run
      -- Does it.
      -- needs: --allow-writ=x
      -- needs: allow-read=y  to read
      --   needs: --allow-net=
      print(1)
      """)
    #expect(
      try program.run("check", "script.lua").output == """
        script.lua:3:1: needs: --allow-writ is not a permission; did you mean --allow-write? (831)
        script.lua:4:1: needs: allow-read is not a permission; did you mean --allow-read? (831)
        script.lua:5:1: needs: --allow-net: expected HOST after the equals sign, got nothing (831)

        """)
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
