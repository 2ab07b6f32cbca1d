import CommandLineSupport
import Foundation
import JSON
import Testing

@Suite("Plugins")
struct PluginTests {
  /// One that has something of everything.
  static let everything = """
    -- A plugin for tests.
    -- needs: --allow-net=hooks.example.com  posts there
    local b2c = require "b2c"
    mark = "its own"
    return {
      name = "demo", version = "1.2",
      commands = {
        greet = {
          summary = "Greets somebody.", positions = { { "NAME", "whom" } }, options = { { "--loud", "shout" } },
          run = function(options) print("hi " .. options[1], options.loud) end,
        },
        words = { summary = "Shows words.", run = function(args) print(args[1], args.x, mark) end },
        doctor = { summary = "Finds nothing.", run = function() print "nothing" end },
      },
      flows = {
        password = function(ctx) print("my password flow") error("not today", 0) end,
        mine = function(ctx)
          print("my flow", ctx.options.username)
          return b2c.oauth.token {
            grant_type = "password", policy = ctx.policy, scopes = ctx.options.scopes,
            username = ctx.options.username, password = ctx.options.password,
          }
        end,
      },
      formats = {
        bullets = {
          extensions = { ".md" },
          rows = function(source)
            local lines = source:lines()
            return function()
              for line, number in lines do
                local text = line:match "^%- (.*)"
                if text then return { text = text }, number end
              end
            end
          end,
          write = function(tasks, put) for task in tasks do put("- " .. task.text .. "\\n") end end,
        },
        tsv = { rows = function(source) return function() return nil end end },
      },
      agents = {
        terminal = function(url, options)
          print("my agent", options.redirect_uri)
          error("nobody is here", 0)
        end,
      },
    }
    """

  private func program(_ name: String = "plugins/demo.lua", _ plugin: String = everything) throws -> Program {
    let program = try Program(flags: ["--trust-plugins"])
    try program.write(name, plugin)
    return program
  }

  @Test("what plugins add is listed, with what it replaces, what they need, and what is wrong with others")
  func list() throws {
    let program = try program()
    try program.write(".local/share/b2c-run/plugins/older/init.lua", "return { flows = { mine = print } }")
    try program.write("plugins/wrong.lua", "return { comands = {} }")
    try program.write("plugins/demo_test.lua", "error 'tests are no plugins'")
    let result = try program.run("plugins")
    #expect(result.status == 1)
    #expect(
      result.output == """
        older  ~/.local/share/b2c-run/plugins/older/init.lua
          flow      mine
        demo  1.2  plugins/demo.lua
          command   doctor; replaces the stock command
          command   greet
          command   words
          flow      mine; replaces that of older (~/.local/share/b2c-run/plugins/older/init.lua)
          flow      password; replaces the stock flow
          format    bullets; .md, read and written
          format    tsv; read; replaces the stock format
          agent     terminal; replaces the stock agent
          needs     --allow-net=hooks.example.com; not granted; posts there
        wrong  plugins/wrong.lua
          FAILED    plugins/wrong.lua: unknown key 'comands'
                    did you mean 'commands'?

        """)
    #expect(
      result.errors == """
        warn  two plugins have the flow mine: older (~/.local/share/b2c-run/plugins/older/init.lua) and demo \
        (plugins/demo.lua); that of demo is used

        """)
    let granted = try program.run(
      "--allow-net=hooks.example.com", "--no-plugins", "--plugin", "plugins/demo.lua", "plugins")
    #expect(granted.status == 0, "\(granted)")
    #expect(granted.output.hasSuffix("  needs     --allow-net=hooks.example.com; granted; posts there\n"))
    #expect(granted.errors == "")
  }

  @Test("names of files and of plugins cannot move the cursor, nor pass for a line of their own")
  func controlCharacters() throws {
    let program = try program(
      "plugins/a\u{1B}[2J\nok.lua",
      """
      -- needs: --allow-net=a\u{1B}[31m  why\u{1B}[2J
      return { name = "n\\27[2J\\nforged  plugin", version = "\\27[2J\\r\\n1", formats = { a = { extensions = { ".\\27[2J" }, rows = print } } }
      """)
    try program.write("plugins/b\u{1B}[2J.lua", "return { \u{1B} = 1 }")
    try program.write("plugins/c\u{1B}[2J\n.lua", "return { ['x\\27[2J\\nforged'] = 1 }")
    for words in [["plugins"], ["-e", "print(1)"], ["help"], ["nosuch"]] {
      let result = try program.run(list: words)
      for text in [result.output, result.errors] {
        #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\r" }, "\(words) \(result)")
        #expect(!text.contains("\nforged") && !text.contains("\nok.lua"), "\(words) \(result)")
      }
    }
    #expect(try program.run("plugins").output.hasPrefix("n␛[2J⏎forged  plugin  ␛[2J⏎1  plugins/a␛[2J⏎ok.lua\n"))
  }

  @Test("the list for programs")
  func json() throws {
    let program = try program(
      ".local/share/b2c-run/plugins/some.lua", "return { version = '3', flows = { a = print } }")
    try program.write("plugins/wrong.lua", "local x <const> = 1; x = 2")
    let result = try program.run("plugins", "--json")
    #expect(result.status == 1)
    let list = try #require(try JSON(parsing: Array(result.output.utf8)).array)
    #expect(list.map { $0["name"]?.string } == ["some", "wrong"])
    #expect(list[0]["adds"] == [["kind": "flow", "name": "a"]])
    #expect(list[0]["version"] == "3")
    #expect(list[1]["error"]?.string?.hasPrefix("plugins/wrong.lua:1: ") == true)
    #expect(list[1]["adds"] == [])
  }

  @Test("a plugin's command runs by its name, with the command line it declares")
  func commands() throws {
    let program = try program()
    #expect(try program.run("greet", "Ann", "--loud").output == "hi Ann\ttrue\n")
    #expect(try program.run("words", "a", "--x=2").output == "a\t2\tits own\n")
    // The plugin's command replaces the built-in one.
    #expect(try program.run("doctor").output == "nothing\n")
    let wrong = try program.run("greet", "Ann", "--lout")
    #expect(wrong.status == 2)
    #expect(wrong.errors == "b2c-run: greet: unknown option --lout\n  hint: did you mean --loud?\n")
    #expect(
      try program.run("greet", "--help").output == """
        Greets somebody.

          b2c-run greet [options] NAME

          NAME    whom

        options
          --loud  shout
          --help  print this help

        """)
    #expect(try program.run("words", "--help").output == "Shows words.\n\n  b2c-run words [args]\n")
    #expect(try program.run("gret").errors == "b2c-run: cannot find the script 'gret'\n  hint: did you mean 'greet'?\n")
    let none = try program.run("--no-plugins", "greet")
    #expect(none.status == 2)
    #expect(none.errors.hasPrefix("b2c-run: cannot find the script 'greet'\n"))
  }

  @Test("a plugin's globals are its own, and so are its modules")
  func isolation() throws {
    let program = try program("plugins/a/init.lua", "shared = 1 return { name = require('part').name, version = 'a' }")
    try program.write("plugins/a/part.lua", "require 'b2c.async'.sleep(0) return { name = 'named by a' }")
    try program.write("plugins/b.lua", "return { name = require('part').name, version = tostring(shared) }")
    try program.write("plugins/part/init.lua", "return { name = 'part' }")
    try program.write("part.lua", "return 'the script\\'s'")
    try program.write("script.lua", "print(shared, require 'part')")
    let result = try program.run("script.lua")
    #expect(result.output == "nil\tthe script's\n", "\(result)")
    let list = try program.run("plugins").output
    #expect(list.hasPrefix("named by a  a  plugins/a/init.lua\n"), "\(list)")
    // The plugins b.lua and part/init.lua have the same name: the later one is used.
    #expect(list.contains("part  nil  plugins/b.lua\n  not used  plugins/part/init.lua has the same name\n"))
  }

  @Test("sign-in takes a plugin's agent")
  func agentOfSignIn() throws {
    let program = try Program()
    try program.write(
      "corp.lua", "return { agents = { corp = function() error { code = 'corp', message = 'asked' } end } }")
    let arguments = ["--plugin", "corp.lua", "--local", "sign-in", "--agent"]
    #expect(try program.run(list: arguments + ["corp"]).errors == "b2c-run: asked\n")
    let wrong = try program.run(list: arguments + ["crp"])
    #expect(
      wrong.errors == """
        b2c-run: sign-in: --agent: expected one of system, terminal, headless, webview, corp, got 'crp'
          hint: did you mean 'corp'?

        """)
  }

  @Test("flows, agents and formats go by name, also those in place of stock ones")
  func names() throws {
    let program = try program()
    let flow = try program.run("--quiet", "--local", "-e", "accounts.sign_in { flow = 'password', username = 'alice' }")
    #expect(flow.output == "my password flow\n")
    #expect(flow.errors.hasPrefix("b2c-run: (command line):1: not today\n"))
    let mine = """
      local alice = accounts.sign_in { flow = "mine", policy = "ropc", username = "alice", password = "Wonderland-1" }
      print(alice.name)
      """
    #expect(try program.run("--quiet", "--local", "-e", mine).output == "my flow\talice\nAlice Liddell\n")
    let agent = try program.run("--quiet", "--local", "-e", "accounts.sign_in { agent = 'terminal' }")
    #expect(agent.output == "my agent\thttp://localhost\n")
    #expect(agent.errors.contains("nobody is here"))
    let lists =
      "for _, list in ipairs { tasks.formats, browser.agents, accounts.flows } do print(table.concat(list, ' ')) end"
    #expect(
      try program.run("-e", lists).output
        == "csv tsv json ndjson text todotxt taskwarrior bullets ics\nsystem terminal headless webview\n"
        + "authorization_code backchannel client_credentials device_code native password refresh silent mine\n")
    let unknown = try program.run("--quiet", "--local", "-e", "accounts.sign_in { flow = 'mines' }")
    #expect(unknown.errors.contains("there is no flow named 'mines'\n  hint: did you mean 'mine'?"), "\(unknown)")
  }

  @Test("a format reads and writes files, by name and by extension")
  func formats() throws {
    let program = try program()
    try program.write("sub/script.lua", "print(1)")
    try program.write("list.md", "# List\n- Milk\n- \n- Eggs\n")
    let read = try program.run("--no-plugins", "--plugin", "plugins/demo.lua", "--local=data", "import", "list.md")
    #expect(read.status == 5, "\(read)")
    #expect(read.output.contains("added         2\n"))
    #expect(read.errors.contains("info  list.md: bullets, by plugins/demo.lua\n"))
    #expect(read.errors.contains("row 2 (line 3) was not added: the text is empty"))
    let written = try program.run("--quiet", "--local=data", "export", "out", "--format", "bullets")
    #expect(written.status == 0, "\(written)")
    #expect(try text("out", program) == "- Milk\n- Eggs\n")
    #expect(try program.run("--quiet", "--local=data", "export", "out.md.gz").status == 0)
    #expect(try program.run("--quiet", "--local", "import", "out.md.gz").output.contains("added        2\n"))
    let input = try program.run("--quiet", "--local", "import", "-", "--format", "bullets", input: "- One\n- Two\n")
    #expect(input.output.contains("added        2\n"), "\(input)")
    let onlyRead = try program.run("--quiet", "--local", "export", "x.tsv")
    #expect(onlyRead.errors.contains("tasks.export: the format tsv can be read, not written"), "\(onlyRead)")
    let map = try program.run("--quiet", "--local", "import", "list.md", "--map", "text=a")
    #expect(
      map.errors
        == "b2c-run: import: --map: expected a function, because rows of the format bullets have no columns\n")
    let wrong = try program.run("--local", "import", "list.md", "--format", "bulets")
    #expect(wrong.errors.hasSuffix("got \"bulets\"\n  hint: did you mean \"bullets\"?\n"), "\(wrong)")
  }

  @Test("a script's import of a plugin's format goes through its map, and on after an interruption")
  func resumed() throws {
    let program = try program()
    try program.write("list.md", "- Milk\n- Eggs\n- Flour\n")
    let script = """
      tenant.sign_in()
      local report = tasks.import("list.md", { map = function(row, n) return n ~= 2 and row.text .. "!" or nil end })
      print(report.total, report.added, report.skipped, report.resumed_at)
      """
    #expect(try program.run("--quiet", "--local=data", "-e", script).output == "3\t2\t1\tnil\n")
    let again = try program.run("--quiet", "--local=data", "-e", script)
    #expect(again.output.hasPrefix("3\t2\t1\t"), "\(again)")
    #expect(try program.run("--quiet", "--local=data", "-e", "tenant.sign_in() print(#tasks.list())").output == "2\n")
  }

  @Test(
    "a mistake names the plugin, the key, what was expected and the nearest",
    arguments: [
      (
        "return 1",
        "plugins/p.lua returned a number, expected a plugin's table; end it with: return { name = \"p\", … }"
      ),
      (
        "local x = 1",
        "plugins/p.lua returned nothing, expected a plugin's table; end it with: return { name = \"p\", … }"
      ),
      ("return {\n  x", "plugins/p.lua:2: '}' expected (to close '{' at line 1) near <eof>"),
      ("error 'no'", "plugins/p.lua:1: no"),
      ("return { name = 1 }", "plugins/p.lua: key 'name': expected a string, got number"),
      ("return { hook = {} }", "plugins/p.lua: unknown key 'hook'; did you mean 'hooks'?"),
      (
        "return { flows = { a = 1 } }",
        "plugins/p.lua: flows.a: expected a function, or a table with sign_in, got a number"
      ),
      (
        "return { flows = { a = { sign_in = print, refrsh = print } } }",
        "plugins/p.lua: flows.a: unknown field 'refrsh'; did you mean 'refresh'?"
      ),
      (
        "return { flows = { print } }", "plugins/p.lua: flows: expected names of letters, digits, - and _, got a number"
      ),
      (
        "return { hooks = { on_change = print } }",
        "plugins/p.lua: hooks: unknown key 'on_change'; did you mean 'on_changed'?"
      ),
      (
        "return { commands = { a = { summary = 'A.' } } }",
        "plugins/p.lua: commands.a: key 'run' is missing: expected a function"
      ),
      (
        "return { commands = { a = { run = print, options = { { 'x' } } } } }",
        "plugins/p.lua: commands.a: option 1: expected { \"--name VALUE\", \"what it does\" }"
      ),
      (
        "return { commands = { tenant = { run = print } } }",
        "plugins/p.lua: commands.tenant: the program itself has a command 'tenant'; give it another name"
      ),
      (
        "return { formats = { a = { extensions = { 'a' }, rows = print } } }",
        "plugins/p.lua: formats.a: key 'extensions': expected texts such as \".a\", got \"a\""
      ),
      (
        "return { formats = { a = {} } }",
        "plugins/p.lua: formats.a: expected 'rows', 'write' or both; rows reads such files, write writes them"
      ),
      (
        "local it = require 'nothing' return it",
        "plugins/p.lua:1: module 'nothing' not found:\n      \tno file 'plugins/nothing.lua'\n      \tno file 'plugins/nothing/init.lua'"
      ),
      (
        "io.open('/etc/hosts')",
        "plugins/p.lua:1: io.open: needs permission to read /etc/hosts; run with --allow-read=/etc/hosts"
      ),
    ])
  func mistakes(plugin: String, message: String) throws {
    let program = try program("plugins/p.lua", plugin)
    try program.write("plugins/good.lua", "return { commands = { good = { run = function() print 'good' end } } }")
    // The others go on.
    let result = try program.run("--no-prompt", "good")
    #expect(result.output == "good\n")
    #expect(result.errors == "error the plugin p is not used: \(message)\n")
  }

  @Test("--plugin takes a file or a folder, and one that is not there is wrong use")
  func given() throws {
    let program = try program(
      "elsewhere/demo/init.lua", "return { commands = { one = { run = function() print(1) end } } }")
    #expect(try program.run("--plugin", "elsewhere/demo", "one").output == "1\n")
    #expect(try program.run("--plugin=elsewhere/demo/init.lua", "one").output == "1\n")
    let missing = try program.run("--plugin", "nowhere.lua", "one")
    #expect(missing.status == 2)
    #expect(missing.errors == "b2c-run: --plugin: cannot read nowhere.lua: No such file or directory\n")
  }

  @Test("without plugins, the list says where they would be")
  func none() throws {
    let program = try Program()
    let result = try program.run("plugins")
    #expect(result.status == 0)
    #expect(result.output == "")
    #expect(
      result.errors
        == "info  there are no plugins: they would be in \(program.folder.path)/.local/share/b2c-run/plugins or plugins\n"
    )
  }

  private func text(_ name: String, _ program: Program) throws -> String {
    try String(contentsOf: program.folder.appending(path: name), encoding: .utf8)
  }
}
