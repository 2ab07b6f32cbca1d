import CommandLineSupport
import Foundation
import JSON
import Testing

/// Only plugins in ./plugins that the user at the terminal trusts are run.
@Suite("Trust in plugins")
struct PluginTrustTests {
  private static let plugin = """
    -- Says that it runs.
    -- needs: --allow-net=hooks.example.com  posts there
    print "RAN"
    return { commands = { greet = { summary = "Greets.", run = function() print(require("words").version) end } } }
    """
  private static let warning = "warn  plugins are not used, because nobody has trusted them: "

  private static let changed = "warn  plugins are not used, because they have changed since they were trusted: "

  private func program(_ plugin: String = plugin) throws -> Program {
    let program = try Program()
    try program.write("plugins/hello.lua", plugin)
    try program.write("plugins/words.lua", "return { version = 'hello' }")
    try program.write("script.lua", "print 'script'")
    return program
  }

  @Test(
    "nothing of plugins runs for what runs no script, trusted or not",
    arguments: [
      ["help"], ["help", "tasks"], ["help", "import"], ["help", "plugin"], ["help", "script.lua"],
      ["completions", "bash"], ["stubs"], ["check", "plugins"], ["--version"], ["new", "other"],
    ])
  func help(words: [String]) throws {
    let program = try program()
    for flags in [[], ["--trust-plugins"], ["--plugin", "plugins/hello.lua"]] {
      let result = try program.run(list: flags + words)
      if flags.isEmpty || words[0] != "new" { #expect(result.status == 0, "\(result)") }
      #expect(!result.output.contains("RAN") && !result.errors.contains("plugins are"), "\(flags) \(result)")
    }
  }

  @Test("without a terminal they are not used, and a warning says so; what a person has named is")
  func noTerminal() throws {
    let program = try program()
    for words in [["script.lua"], ["-e", "print 'script'"], ["test", "none_test.lua"]] {
      try program.write("none_test.lua", "it('is', function() end)")
      let result = try program.run(list: words)
      #expect(result.status == 0, "\(result)")
      #expect(!result.output.contains("RAN"), "\(result)")
      #expect(
        result.errors.hasPrefix(
          Self.warning + "plugins/hello.lua, plugins/words.lua; --trust-plugins uses them\n"), "\(result)")
    }
    let none = try program.run("greet")
    #expect(none.status == 2)
    #expect(none.errors.contains("b2c-run: cannot find the script 'greet'\n"))
    // Once a run, and for that alone.
    #expect(try program.run("--trust-plugins", "greet").output == "RAN\nhello\n")
    #expect(try program.run("greet").status == 2)
    #expect(try program.run("--no-plugins", "--plugin", "plugins/hello.lua", "greet").output == "RAN\nhello\n")
    try program.write(".local/share/b2c-run/plugins/mine.lua", "print 'MINE' return {}")
    #expect(try program.run("script.lua").output == "MINE\nscript\n")
    #expect(try program.run("--no-plugins", "script.lua").errors == "")
  }

  @Test("they are listed, with what they say they need, and not run")
  func list() throws {
    let program = try program()
    let result = try program.run("plugins")
    let hint = "  not trusted  b2c-run plugins --trust trusts it; --trust-plugins uses it in one run\n"
    #expect(
      result.output
        == "hello  plugins/hello.lua\n\(hint)  needs     --allow-net=hooks.example.com; not granted; posts there\n"
        + "words  plugins/words.lua\n\(hint)")
    #expect(result.errors == "")
    #expect(result.status == 0)
    let json = try JSON(parsing: Array(try program.run("plugins", "--json").output.utf8))
    #expect(json.array?.map { $0["trusted"] } == [false, false])
  }

  @Test("plugins --trust remembers them, until a file of theirs changes, comes or goes")
  func remembered() throws {
    let program = try program("print 'RAN' return {}")
    try program.write("plugins/words.lua", "return {}")
    try program.write("sub/README.md", "")
    #expect(try program.run("plugins", "--trust").output == "RAN\nhello  plugins/hello.lua\nwords  plugins/words.lua\n")
    func runs() throws -> Bool {
      let result = try program.run("script.lua")
      #expect(result.output.contains("RAN") != result.errors.hasPrefix(Self.changed), "\(result)")
      return result.output.contains("RAN")
    }
    #expect(try runs())
    for (name, text) in [
      ("plugins/words.lua", "return { name = 'words' }"), ("plugins/deep/er/part.lua", "return 1"),
      ("plugins/hello.lua", "print 'RAN' return { }"),
    ] {
      try program.write(name, text)
      #expect(try !runs(), "\(name)")
      _ = try program.run("plugins", "--trust")
      #expect(try runs(), "\(name)")
    }
    // A file without code is not a plugin.
    try program.write("plugins/README.md", "Read me.")
    #expect(try runs())
    try FileManager.default.removeItem(at: program.folder.appending(path: "plugins/words.lua"))
    #expect(try !runs())
    let mode = try FileManager.default.attributesOfItem(
      atPath: program.folder.appending(path: ".local/state/b2c-run/trusted-plugins").path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    // Another folder with the same in it is another folder.
    _ = try program.run("plugins", "--trust")
    let other = try program.shell("cp -r plugins script.lua sub && cd $1 && \"$0\" script.lua", "sub")
    #expect(other.output == "script\n", "\(other)")
  }

  @Test("on a terminal the person is asked once, with the files' names; a no is asked again the next time")
  func asked() throws {
    let program = try program()
    let refused = try TerminalSession(program, ["script.lua"])
    try refused.expect("/plugins has plugins:\r\n  plugins/hello.lua\r\n  plugins/words.lua\r\n")
    try refused.expect("They run with every script in this folder, with the permissions of the script.\r\n")
    try refused.expect("Trust them, until they change? [y/n] ")
    refused.type("n\n")
    try refused.expect("script\r\n")
    #expect(refused.end() == 0)
    #expect(!refused.screen.contains("RAN"))

    let trusted = try TerminalSession(program, ["greet"])
    try trusted.expect("Trust them, until they change? [y/n] ")
    trusted.type("y\n")
    try trusted.expect("RAN\r\nhello\r\n")
    #expect(trusted.end() == 0)
    let again = try TerminalSession(program, ["greet"])
    #expect(again.end() == 0)
    #expect(again.screen == "RAN\r\nhello\r\n")
    #expect(try program.run("greet").output == "RAN\nhello\n")

    try program.write("plugins/words.lua", "return { version = 'other' }")
    let changed = try TerminalSession(program, ["greet"])
    try changed.expect("/plugins has plugins that have changed since they were trusted:\r\n")
    try changed.expect("  changed plugins/words.lua\r\n  They run with every script")
    try changed.expect("[y/n] ")
    changed.type("\u{3}")
    #expect(changed.end() == 130)
    let silent = try TerminalSession(program, ["--no-prompt", "script.lua"])
    try silent.expect(Self.changed + "changed plugins/words.lua; --trust-plugins uses them")
    #expect(silent.end() == 0)
    #expect(!silent.screen.contains("RAN"))
  }

  @Test("what is new, changed and removed since the last yes is named; all, where nobody kept that")
  func changes() throws {
    let program = try program("return {}")
    for name in ["gone", "same", "lib/part"] { try program.write("plugins/\(name).lua", "return {}") }
    _ = try program.run("plugins", "--trust")
    try FileManager.default.removeItem(at: program.folder.appending(path: "plugins/gone.lua"))
    try program.write("plugins/lib/part.lua", "return 2")
    try program.write("plugins/new.lua", "return {}")
    let list = "new plugins/new.lua"
    #expect(
      try program.run("script.lua").errors
        == Self.changed + "removed plugins/gone.lua, changed plugins/lib/part.lua, \(list); --trust-plugins uses them\n"
    )
    let asked = try TerminalSession(program, ["script.lua"])
    try asked.expect(
      "since they were trusted:\r\n  removed plugins/gone.lua\r\n  changed plugins/lib/part.lua\r\n  \(list)\r\n  They run"
    )
    asked.type("y\n")
    try asked.expect("script\r\n")
    #expect(asked.end() == 0)
    #expect(try program.run("script.lua").errors == "")

    // A record that is outdated or changed is not trusted.
    let folder = program.folder.appending(path: ".local/state/b2c-run/trusted-plugin-files")
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
    try program.write("plugins/new.lua", "return { }")
    let all = "plugins/hello.lua, plugins/new.lua, plugins/same.lua, plugins/words.lua"
    for record in ["{\"new.lua\":\"\"}", "none"] {
      try Data(record.utf8).write(to: folder.appending(path: file))
      #expect(try program.run("script.lua").errors == Self.changed + "\(all); --trust-plugins uses them\n")
    }
  }

  @Test("names cannot move the cursor or hide what is asked")
  func names() throws {
    let program = try program()
    try program.write("plugins/a\u{1B}[2J\r\n.lua", "return {}")
    let session = try TerminalSession(program, ["script.lua"])
    try session.expect("  plugins/a␛[2J⏎.lua\r\n")
    try session.expect("[y/n] ")
    session.type("n\n")
    _ = session.end()
    #expect(!session.screen.contains("\u{1B}[2J"))
    #expect(try !program.run("script.lua").errors.contains("\u{1B}"))
  }

  @Test("what links lead to from the folder at hand is no plugin of it, nor a module of a plugin")
  func links() throws {
    let program = try program(
      "print(pcall(require, 'secret')) print(pcall(require, 'linked.secret')) print(require 'near') return {}")
    for name in ["plugins/words.lua", "plugins/near.lua"] {
      try? FileManager.default.removeItem(at: program.folder.appending(path: name))
    }
    try program.write("plugins/sub/near.lua", "return 'near'")
    try program.write("outside/secret.lua", "return 'canary'")
    try program.write("outside/init.lua", "print 'OUTSIDE' return {}")
    for (name, target) in [
      ("secret.lua", "../outside/secret.lua"), ("linked", "../outside"), ("near.lua", "sub/near.lua"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: program.folder.appending(path: "plugins/\(name)").path, withDestinationPath: target)
    }
    for flags in [["--trust-plugins"], ["--plugin", "plugins/hello.lua"]] {
      let result = try program.run(list: flags + ["script.lua"])
      #expect(result.output.contains("near\t") && result.output.hasSuffix("script\n"), "\(result)")
      #expect(!result.output.contains("canary") && !result.output.contains("OUTSIDE"), "\(result)")
      #expect(result.output.contains("plugins/secret.lua leads out of the plugins' folder"), "\(result)")
      #expect(result.output.contains("plugins/linked/secret.lua leads out of the plugins' folder"), "\(result)")
    }
    // A person's own folder may have links.
    try FileManager.default.createDirectory(
      at: program.folder.appending(path: ".local/share/b2c-run/plugins"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: program.folder.appending(path: ".local/share/b2c-run/plugins/own").path,
      withDestinationPath: program.folder.appending(path: "outside").path)
    #expect(try program.run("--no-plugins", "script.lua").output == "script\n")
    #expect(try program.run("script.lua").output == "OUTSIDE\nscript\n")
  }

  @Test("a pipe among them does not hold the run up")
  func pipe() throws {
    let program = try program("return {}")
    #expect(mkfifo(program.folder.appending(path: "plugins/pipe.lua").path, 0o600) == 0)
    #expect(try program.run("script.lua").output == "script\n")
    let trusted = try program.run("--trust-plugins", "script.lua")
    #expect(trusted.output == "script\n")
    #expect(trusted.errors.contains("the plugin pipe is not used: cannot read plugins/pipe.lua"), "\(trusted)")
  }
}
