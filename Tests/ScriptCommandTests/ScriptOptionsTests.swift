import CommandLineSupport
import Testing

@Suite("The command line of a script, by term.options")
struct ScriptOptionsTests {
  private static let script = """
    local term = require "b2c.term"
    local options = term.options {
      summary = "Greets people.",
      positions = { { "NAME", "whom to greet" }, { "[MORE...]", "whom else" } },
      options = {
        { "-g, --greeting TEXT", "what to say", default = "Hello" },
        { "--times N", "how often", type = "integer", default = 1 },
        { "--delay SECONDS", "between two greetings", type = "number" },
        { "--case KIND", "the letters", choices = { "upper", "lower" } },
        { "--skip NAME", "leave NAME out; may be given more than once", many = true },
        { "--dry-run", "only say what would be done" },
      },
      notes = "Nobody is greeted twice.",
    }
    local skip = options.skip and table.concat(options.skip, ",")
    print(options[1], #options, options.greeting, options.times, options.delay, options.case, skip, options.dry_run)
    """

  @Test("an option of some actions is refused with others")
  func withoutEffect() throws {
    let program = try Program()
    let script = """
      local options = require("b2c.term").options {
        positions = { { "[ACTION]", "what to do", choices = { "list", "add" }, default = "list" } },
        options = { { "--all", "all", with = { "list" } }, { "--now", "at once", with = { WITH } } },
      }
      print(options.all, options.now)
      """
    try program.write("a.lua", script.replacing("WITH", with: "\"add\""))
    #expect(try program.run("a.lua", "--all").output == "true\tfalse\n")
    #expect(try program.run("a.lua", "add", "--now").output == "false\ttrue\n")
    let refused = try program.run("a.lua", "--now")
    #expect(refused.status == 2)
    #expect(
      refused.errors == "b2c-run: a.lua: --now has no effect with list\n  hint: leave it out; it belongs to add\n",
      "\(refused)")
    try program.write("b.lua", script.replacing("WITH", with: "\"ad\""))
    #expect(try program.run("b.lua").errors.contains("--now: with: 'ad' is not a choice of the first position"))
  }

  private func run(_ arguments: String...) throws -> Program.Result {
    let program = try Program()
    try program.write("greet.lua", Self.script)
    return try program.run(list: ["greet.lua"] + arguments)
  }

  @Test("values by name and positions by number, in any order")
  func values() throws {
    #expect(try run("Ada").output == "Ada\t1\tHello\t1\tnil\tnil\tnil\tfalse\n")
    let all = try run(
      "--greeting", "Hi there", "Ada", "--times=3", "--delay", "0.5", "--case=upper", "--skip", "Bob", "Carol",
      "--skip=Dan", "--dry-run", "--", "--times")
    #expect(all.output == "Ada\t3\tHi there\t3\t0.5\tupper\tBob,Dan\ttrue\n")
    #expect(try run("-g", "Hi", "Ada", "-", "-5").output == "Ada\t3\tHi\t1\tnil\tnil\tnil\tfalse\n")
    #expect(try run("--greeting=", "Ada").output == "Ada\t1\t\t1\tnil\tnil\tnil\tfalse\n")
    #expect(try run("--greeting", "--times", "Ada").output == "Ada\t1\t--times\t1\tnil\tnil\tnil\tfalse\n")
  }

  @Test("--help shows what is declared, and ends the script", arguments: ["--help", "-h"])
  func help(word: String) throws {
    let result = try run("--times", "2", word, "--nonsense")
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(
      result.output == """
        Greets people.

          b2c-run greet.lua [options] NAME [MORE...]

          NAME                 whom to greet
          [MORE...]            whom else

        options
          -g, --greeting TEXT  what to say (Hello if not given)
          --times N            how often (1 if not given)
          --delay SECONDS      between two greetings
          --case KIND          the letters: upper, lower
          --skip NAME          leave NAME out; may be given more than once
          --dry-run            only say what would be done
          --help               print this help

        Nobody is greeted twice.

        """)
  }

  @Test(
    "wrong use ends with status 2 and says what is wrong",
    arguments: [
      (["--greting", "x"], "unknown option --greting\n  hint: did you mean --greeting?"),
      (["--nonsense"], "unknown option --nonsense\n  hint: b2c-run greet.lua --help lists them"),
      (["-x"], "unknown option -x\n  hint: b2c-run greet.lua --help lists them"),
      (["Ada", "--times"], "--times: expected N after it"),
      (["Ada", "-g"], "-g: expected TEXT after it"),
      (["--dry-run=yes"], "--dry-run takes no value"),
      (["--times", "many"], "--times: expected a whole number, got 'many'"),
      (["--delay=soon"], "--delay: expected a number, got 'soon'"),
      (["--case", "uper"], "--case: expected one of upper, lower, got 'uper'\n  hint: did you mean 'upper'?"),
      (["--case", "title"], "--case: expected one of upper, lower, got 'title'"),
      ([], "NAME is missing: whom to greet"),
    ])
  func wrongUse(arguments: [String], message: String) throws {
    let program = try Program()
    try program.write("greet.lua", Self.script)
    let result = try program.run(list: ["greet.lua"] + arguments)
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors == "b2c-run: greet.lua: \(message)\n")
  }

  @Test("without positions, a word is too much; the forms of the command are the author's, where given")
  func positions() throws {
    let none = try Program().run("-e", "b2c.term.options {}", "word")
    #expect(none.status == 2)
    #expect(
      none.errors == """
        b2c-run: (command line): unexpected argument 'word'
          hint: the command is b2c-run (command line) [options]

        """)
    let program = try Program()
    try program.write("use.lua", "b2c = require 'b2c' b2c.term.options { usage = { '', 'use NAME' } }")
    #expect(try program.run("use.lua", "--help").output.hasPrefix("  b2c-run use.lua\n  b2c-run use.lua use NAME\n\n"))
  }

  @Test("a position may have words to choose from")
  func choices() throws {
    let program = try Program()
    try program.write(
      "a.lua",
      """
      local options = require "b2c.term".options {
        positions = { { "[WHAT]", "show or forget", choices = { "show", "forget" } }, { "[NAME]", "which" } }
      }
      print(options[1], options[2])
      """)
    #expect(try program.run("a.lua").output == "nil\tnil\n")
    #expect(try program.run("a.lua", "show", "it").output == "show\tit\n")
    let wrong = try program.run("a.lua", "fogret")
    #expect(wrong.status == 2)
    #expect(
      wrong.errors == "b2c-run: a.lua: expected one of show, forget, got 'fogret'\n  hint: did you mean 'forget'?\n")
  }

  @Test("a script may catch wrong use, and raise it by itself")
  func caught() throws {
    let program = try Program()
    try program.write("a.lua", "local ok, e = pcall(require 'b2c.term'.options, {}) print(e.code, e.message)")
    #expect(try program.run("a.lua", "--x").output == "usage\ta.lua: unknown option --x\n")
    let raised = try Program().run("-e", "error { code = 'usage', message = 'greet nobody', hint = 'or somebody' }")
    #expect(raised.status == 2)
    #expect(raised.errors == "b2c-run: greet nobody\n  hint: or somebody\n")
  }

  @Test("an error carries the name of the option, or the position of the argument")
  func subjects() throws {
    let program = try Program()
    try program.write(
      "a.lua",
      """
      local b2c = require "b2c"
      local function try(...) return select(2, pcall(...)) end
      local e = try(b2c.term.options, { options = { { "-n, --dry-run N", "x", type = "integer" } } })
      print(e.code, e.option, e.message)
      e = try(b2c.tasks.import, "x", { rat = 1 })
      print(e.call, e.option, e.problem, e.argument)
      e = try(b2c.async.sleep, "x")
      print(e.call, e.argument, e.problem, e.option)
      """)
    let result = try program.run("a.lua", "--dry-run", "x")
    #expect(
      result.output == """
        usage\tdry_run\ta.lua: --dry-run: expected a whole number, got 'x'
        tasks.import\trat\tunknown option\tnil
        async.sleep\t1\texpected a number, got string\tnil

        """, "\(result)")
  }

  @Test("a script takes the options of a function, and errors name them as they were typed")
  func takes() throws {
    let program = try Program()
    try program.write("a.txt", "one\ntwo\n")
    try program.write(
      "load.lua",
      """
      local b2c = require "b2c"
      local options = b2c.term.options {
        positions = { { "FILE", "what to import" } }, takes = "tasks.import",
        options = { { "--rate TEXT", "how fast", default = "600/m" }, { "--user NAME", "who", default = "bob" } },
      }
      local file, user = table.remove(options, 1), options.user
      options.user = nil
      options.account = function() return b2c.tenant.sign_in(user) end
      local report = b2c.tasks.import(file, options)
      print(report.added, options.rate, options.failed_rows, options.resume, options.concurrency, #b2c.tenant.tasks "bob")
      """)
    let all = try program.run(
      "--quiet", "--local", "load.lua", "a.txt", "--failed=none", "--resume", "yes", "--concurrency", "2..4")
    #expect(all.output == "2\t600/m\tfalse\ttrue\t2..4\t2\n", "\(all)")
    let help = try program.run("load.lua", "--help").output
    #expect(help.contains("  --rate TEXT ") && !help.contains("--rate ROWS") && help.contains("  --idempotency-key "))
    let refused = try program.run("--quiet", "-A", "--local", "load.lua", "a.txt", "--report", "a.doc")
    #expect(refused.status == 2)
    #expect(
      refused.errors
        == "b2c-run: load.lua: --report: expected a file that ends in .html, .htm or .json, got 'a.doc'\n", "\(refused)"
    )
  }

  @Test("variables are closed when --help ends the script")
  func closes() throws {
    let program = try Program()
    try program.write(
      "a.lua",
      """
      local _ <close> = setmetatable({}, { __close = function() print 'closed' end })
      require 'b2c.term'.options {}
      print 'not reached'
      """)
    let result = try program.run("a.lua", "--help")
    #expect(result.status == 0)
    #expect(result.output.hasSuffix("print this help\nclosed\n"))
  }

  @Test(
    "a declaration that makes no sense names its entry",
    arguments: [
      ("options = { 'x' }", "option 1: expected { \"--name VALUE\", \"what it does\" }"),
      ("options = { { '--a', 'x' }, { 'b', 'x' } }", "option 2: expected { \"--name VALUE\", \"what it does\" }"),
      (
        "options = { { '--a N', 'x', type = 'int' } }",
        "option 1: type: expected one of \"string\", \"integer\", \"number\", got \"int\""
      ),
      ("positions = { { 'NAME' } }", "position 1: expected { \"NAME\", \"what it is\" }"),
      ("option = {}", "unknown option 'option'\n  hint: did you mean 'options'?"),
      (
        "positions = { { '[A]', 'x', many = true } }",
        "position 1: unknown key 'many'\n  hint: known are choices, default"
      ),
      (
        "positions = { { '[A]', 'x', choises = { 'y' } } }",
        "position 1: unknown key 'choises'\n  hint: did you mean 'choices'?"
      ),
      (
        "options = { { '--a', 'x' }, { '--b N', 'x', defualt = 1 } }",
        "option 2: unknown key 'defualt'\n  hint: did you mean 'default'?"
      ),
      ("options = { { '--a', 'x', 'y' } }", "option 1: expected two texts and names, got a number as key"),
      (
        "takes = 'tasks.imprt'",
        "option 'takes': there is no function 'tasks.imprt'\n  hint: did you mean 'tasks.import'?"
      ),
    ])
  func declaration(source: String, message: String) throws {
    let result = try Program().run("-e", "b2c.term.options { \(source) }")
    #expect(result.status == 1)
    #expect(result.errors == "b2c-run: (command line):1: term.options: \(message)\n")
  }
}
