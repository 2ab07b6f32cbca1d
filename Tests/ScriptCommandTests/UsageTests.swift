import CommandLineSupport
import Foundation
import Testing

@Suite("The command line")
struct UsageTests {
  @Test(arguments: [
    (["--setings", "x"], "b2c-run: unknown option --setings\n  hint: did you mean --settings?\n"),
    (["--frobnicate"], "b2c-run: unknown option --frobnicate\n  hint: b2c-run help all lists them\n"),
    (["--settings"], "b2c-run: --settings: expected FILE after it\n"),
    (["--quiet=1"], "b2c-run: --quiet takes no value\n"),
    (
      ["--set", "clientID"],
      "b2c-run: --set: expected KEY=VALUE, got 'clientID'\n  hint: for example --set clientID=…\n"
    ),
    (["--timeout", "soon"], "b2c-run: --timeout: expected a number of seconds above zero, got 'soon'\n"),
    (["--memory", "lots"], "b2c-run: --memory: expected a size such as 256M, got 'lots'\n"),
    (["--log-level", "loud"], "b2c-run: --log-level: expected one of debug, info, warn, error, got 'loud'\n"),
    (["-e"], "b2c-run: -e: expected Lua code after it\n"),
    (
      [],
      "b2c-run: nothing to run\n  hint: b2c-run SCRIPT, b2c-run -e CHUNK, or a command: sign-in, accounts, tasks, import, "
        + "export, new, test, serve, doctor; b2c-run --help explains them\n"
    ),
    (
      ["nowhere.lua"],
      "b2c-run: cannot find the script 'nowhere.lua'\n  hint: give the path of a Lua file\n"
    ),
    (
      ["--allow-net", "example.com", "sync.lua"],
      "b2c-run: --allow-net: expected its value after =\n  hint: --allow-net=example.com sync.lua\n"
    ),
    (["sing-in"], "b2c-run: cannot find the script 'sing-in'\n  hint: did you mean 'sign-in'?\n"),
    (["sign"], "b2c-run: cannot find the script 'sign'\n  hint: did you mean 'sign-in' or 'sign-out'?\n"),
    (["help", "nowhere.lua"], "b2c-run: cannot find the script 'nowhere.lua'\n  hint: give the path of a Lua file\n"),
    (
      ["completions", "bsh"],
      "b2c-run: completions: expected one of bash, zsh, fish, got 'bsh'\n  hint: did you mean 'bash'?\n"
    ),
    (["tennant"], "b2c-run: cannot find the script 'tennant'\n  hint: did you mean 'tenant'?\n"),
    (
      ["frobnicate"],
      "b2c-run: cannot find the script 'frobnicate'\n  hint: give the path of a Lua file, or one of accounts, check, completions, doctor, "
    ),
    (["tenant", "--port", "many"], "b2c-run: --port: expected a number from 0 to 65535, got 'many'\n"),
    (
      ["tenant", "now"], "b2c-run: tenant: unexpected argument 'now'\n  hint: the command is b2c-run tenant [options]\n"
    ),
    (["new"], "b2c-run: new: NAME is missing: the name of the script, or its path\n"),
    (["completions", "bash", "x"], "b2c-run: completions: unexpected argument 'x'\n"),
    (["--port", "80", "quick.lua"], "b2c-run: unknown option --port\n  hint: b2c-run help all lists them\n"),
    (["help", "nonsense"], "b2c-run: no help on 'nonsense'\n"),
  ])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try Program().run(list: arguments)
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix(message), "\(result)")
  }

  @Test(
    "a file that may have been meant is named",
    arguments: [
      (["--allow-net=x", "scrpt.lua"], "cannot find the script 'scrpt.lua'", "script.lua"),
      (["script"], "cannot find the script 'script'", "script.lua"),
      (["sub/iner.lua"], "cannot find the script 'sub/iner.lua'", "sub/inner.lua"),
      (["help", "scrpt.lua"], "cannot find the script 'scrpt.lua'", "script.lua"),
      (["check", "sub/iner.lua"], "check: there is no file or folder 'sub/iner.lua'", "sub/inner.lua"),
    ])
  func nearFile(arguments: [String], message: String, meant: String) throws {
    let program = try Program()
    try program.write("script.lua", "")
    try program.write("sub/inner.lua", "")
    let result = try program.run(list: arguments)
    #expect(result.status == 2)
    #expect(result.errors == "b2c-run: \(message)\n  hint: did you mean '\(meant)'?\n")
  }

  @Test func version() throws {
    let result = try Program().run("--version")
    #expect(result.status == 0)
    #expect(result.output.wholeMatch(of: #/b2c-run \d+\.\d+\.\d+ \(Lua 5\.4\.\d+\)\n/#) != nil)
  }

  @Test("--help shows the commands and options of daily use on one screen, and the way to all others")
  func dailyHelp() throws {
    let program = try Program()
    let overview = try program.run("--help").output
    for name in ["sign-in", "accounts", "tasks", "import", "export", "new", "test", "serve", "doctor"] {
      #expect(overview.contains("\n  \(name) "), "\(name)")
      #expect(try program.run("help", name).status == 0, "\(name)")
    }
    #expect(!overview.contains("completions") && overview.contains("\n  b2c-run help all "), "\(overview)")
    #expect(overview.split(separator: "\n").count < 40)
    #expect(try program.run("help").output == overview)
  }

  @Test("help all shows every option, help explains modules and functions")
  func help() throws {
    let overview = try Program().run("help", "all").output
    for flag in ["--settings FILE", "--set KEY=VALUE", "--local[=DATA]", "--cacert FILE", "--timeout SECONDS"] {
      #expect(overview.contains(flag))
    }
    #expect(try Program().run("help", "tasks").output.contains("tasks.add(task, options?)"))
    #expect(try Program().run("help", "account").output.contains("account:token()"))
    #expect(try Program().run("help", "account:token").output.contains("refreshed if necessary"))
    #expect(try Program().run("help", "tenant").output.contains("tenant.users.remove(username)"))
    #expect(try Program().run("help", "tenant.users.add").output.contains("password"))
    #expect(try Program().run("help", "tasks.add").output.contains("task: a string or new task"))
  }

  @Test("a command's help shows its own options")
  func commandHelp() throws {
    let help = try Program().run("tenant", "--help")
    #expect(help.status == 0, "\(help)")
    #expect(help.output.contains("\n  b2c-run tenant [options]\n") && help.output.contains("\n  --guid-issuer "))
    #expect(try Program().run("help", "tenant").output.hasPrefix(help.output))
  }

  @Test("help all lists the stock scripts with their summaries, and help shows their command lines")
  func commands() throws {
    let overview = try Program().run("help", "all").output
    let folder = Program.project.appending(path: "scripts").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".lua") }
      .map { String($0.dropLast(4)) }
    #expect(names.count >= 5)
    for name in names {
      let help = try Program().run("help", name)
      #expect(help.status == 0, "\(help)")
      #expect(help.output.contains("\n  b2c-run \(name) "), "\(help)")
      #expect(try help.output.hasPrefix(Program().run(name, "--help").output))
      let summary = help.output.prefix { $0 != "\n" }
      let words = overview.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(overview.contains("\n  \(name)") && words.contains(" \(name) \(summary) "), "\(name): \(summary)")
    }
    // A module and a command of one name are both explained.
    #expect(try Program().run("help", "accounts").output.contains("\nb2c.accounts: "))
  }

  @Test("a file goes before the stock script of its name, a folder does not")
  func names() throws {
    let program = try Program()
    try program.write("accounts/a.txt", "")
    #expect(try program.run("--local", "accounts").status == 0)
    try program.write("token", "print 'mine'")
    #expect(try program.run("token").output == "mine\n")
  }

  @Test("options may stand before and behind -e; the rest are the script's arguments")
  func arguments() throws {
    let program = try Program()
    #expect(try program.run("-e", "print(...)", "--quiet", "a", "-b").output == "a\t-b\n")
    try program.write("args.lua", "local a = require 'b2c.args' print(a[0], a[1], a[2], a.name, a.on, #a)")
    let result = try program.run("--quiet", "args.lua", "x", "--name=Ada", "--on", "--", "--y")
    #expect(result.output == "args.lua\tx\t--y\tAda\ttrue\t2\n")
  }

  @Test("a script from standard input, with an interpreter line")
  func standardInput() throws {
    #expect(try Program().run("-", input: "#!/usr/bin/env b2c-run\nprint(1 + 1)").output == "2\n")
  }

  @Test("require looks in the script's folder, and a module may wait while it loads")
  func require() throws {
    let program = try Program()
    try program.write("sub/main.lua", "print(require('helper').value, require('helper') == require('helper'))")
    try program.write("sub/helper.lua", "require('b2c.async').sleep(0) return { value = ... }")
    #expect(try program.run("sub/main.lua").output == "helper\ttrue\n")
    let missing = try program.run("-e", "require 'b2c.task'")
    #expect(
      missing.errors.contains(
        "module 'b2c.task' not found: b2c has accounts, args, async, browser, csv, http, imports, jose, json, log, oauth, secrets, settings, tasks"
      ))
  }
}
