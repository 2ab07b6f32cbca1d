import CommandLineSupport
import Foundation
import Testing

@Suite("Permissions")
struct PermissionTests {
  @Test("a script in another folder reads there, and not where it is run")
  func folder() throws {
    let program = try Program()
    try program.write("scripts/in.txt", "in")
    try program.write("scripts/module.lua", "return 'module'")
    try program.write("out.txt", "out")
    try program.write(
      "scripts/script.lua", "print(io.open('scripts/in.txt'):read(), (require 'module')) io.open('out.txt')")
    let result = try program.run("scripts/script.lua")
    #expect(result.output == "in\tmodule\n")
    #expect(result.status == 4)
    let path = program.folder.resolvingSymlinksInPath().path
    #expect(
      result.errors == """
        b2c-run: script.lua:1: io.open: needs permission to read \(path)/out.txt
          hint: run with --allow-read=\(path)/out.txt

        """)
  }

  @Test("a denial is an error like others, with its own code")
  func code() throws {
    let result = try Program().run(
      "-e", "local _, e = pcall(os.getenv, 'HOME') print(e.code, e.message, e.hint, e.where, e.retryable)")
    #expect(
      result.output
        == "permission_denied\tos.getenv: needs permission to read the environment variable HOME\trun with --allow-env=HOME\t"
        + "(command line):1\tfalse\n")
    #expect(result.status == 0)
  }

  @Test("a name that a shell would take apart is quoted in the hint, and a comma doubled")
  func quoting() throws {
    let result = try Program().run("-e", "print(select(2, pcall(io.open, \"/a b/it's,\")).hint)")
    #expect(result.output == "run with --allow-read='/a b/it'\\''s,,'\n")
  }

  @Test("a stock command uses the files typed behind it, and no others")
  func stock() throws {
    let program = try Program()
    try program.write("in/tasks.csv", "text\nBuy milk\n\"\n")
    try program.write("in/rows.csv", "text\nBuy milk\n")
    let result = try program.run("--local", "export", "out/../tasks.txt")
    #expect(result.status == 0 || result.errors.contains("cannot be written"), "\(result)")
    #expect(try program.run("--local", "import", "in/rows.csv", "--report", "report.json").status == 0)
    #expect(FileManager.default.fileExists(atPath: program.folder.appending(path: "report.json").path))
  }

  @Test("what a header says is shown with the command to run, and nothing is run")
  func help() throws {
    let program = try Program()
    try program.write(
      "my script.lua",
      """
      #!/usr/bin/env b2c-run
      -- Posts how many tasks there are.
      --
      -- needs: --allow-net=hooks.example.com  posts the summary there
      -- needs: --allow-env=HOOK_TOKEN --allow-run=$(touch evil)

      print "it ran"
      """)
    let result = try program.run("help", "./my script.lua")
    #expect(
      result.output == """
        Posts how many tasks there are.

        The script asks for these permissions
          --allow-net=hooks.example.com   posts the summary there
          --allow-env=HOOK_TOKEN --allow-run=$(touch
                                          evil)

        Run the script with these permissions, or with fewer
          b2c-run --allow-net=hooks.example.com --allow-env=HOOK_TOKEN '--allow-run=$(touch' './my script.lua'

        """)
    #expect(result.status == 0)
  }

  @Test("what is no permission in a header is told by help, and is not in the command to run")
  func wrongHeader() throws {
    let program = try Program()
    try program.write("a.lua", "-- Does it.\n-- needs: --allow-writ=x --allow-read=y\n-- needs: --local\n")
    let result = try program.run("help", "a.lua")
    #expect(
      result.output == """
        Does it.

        The script asks for these permissions
          --allow-writ=x --allow-read=y
          --local

        mistakes in this list
          line 2    needs: --allow-writ is not a permission; did you mean --allow-write?
          line 3    needs: --local is not a permission; permissions are --allow-net,
                    --allow-read, --allow-write, --allow-env, --allow-run,
                    --allow-secret, --allow-all

        Run the script with these permissions, or with fewer
          b2c-run --allow-read=y a.lua

        """)
  }

  @Test("a flag behind the script allows nothing, which the hint says")
  func flagBehindScript() throws {
    let program = try Program()
    try program.write("a.lua", "print(select(2, pcall(os.getenv, 'HOME')).hint)")
    let start = "run with --allow-env=HOME"
    #expect(try program.run("a.lua", "--allow-net", "--allow-environment").output == "\(start)\n")
    for (flag, name) in [("--allow-env", "--allow-env"), ("--allow-env=HOME", "--allow-env"), ("-A", "-A")] {
      #expect(
        try program.run("a.lua", "x", flag).output
          == "\(start) before the script: the \(name) after the script is an argument of the script\n")
    }
  }

  @Test(
    "wrong flags",
    arguments: [
      (
        "--allow-net=https://a.example/",
        "--allow-net: expected HOST or HOST:PORT, got the URL 'https://a.example/'\n  hint: --allow-net=a.example"
      ),
      ("--allow-raed", "unknown option --allow-raed\n  hint: did you mean --allow-read?"),
      ("--allow-all=x", "--allow-all takes no value"),
      ("--allow-read=", "--allow-read: expected PATH after the equals sign, got nothing"),
    ])
  func wrong(flag: String, message: String) throws {
    let result = try Program().run(flag, "-e", "print 'ran'")
    #expect(result.status == 2)
    #expect(result.errors == "b2c-run: \(message)\n")
  }

  @Test(
    "the host's own folders are kept from scripts also where a variable names none", arguments: ["", "relative"])
  func hostFolders(value: String) throws {
    let program = try Program()
    let files = [".config/b2c-run/settings.plist", ".local/state/b2c-run/x", ".local/share/b2c-run/accounts.sqlite"]
    for name in files { try program.write(name, "mine") }
    try program.write(
      "script.lua", "for _, name in ipairs { ... } do print(select(2, pcall(io.open, name, 'a')).code) end")
    let variables = "XDG_CONFIG_HOME=\(value) XDG_STATE_HOME=\(value) XDG_DATA_HOME=\(value)"
    let result = try program.run(
      list: [
        "-c", "\(variables) exec \"$0\" \"$@\"", Program.binary.path, "--no-prompt", "--allow-read", "--allow-write",
        "script.lua",
      ] + files, executable: URL(filePath: "/bin/bash"))
    #expect(result.output == String(repeating: "permission_denied\n", count: 3), "\(result)")
  }

  @Test(
    "no hint of a denial recommends to allow everything",
    arguments: [
      "io.open '/proc/self/environ'", "io.open('/dev/null0', 'w')", "io.open '/sys/kernel'",
      "io.open(home .. '/.local/state/b2c-run/accounts.sqlite')", "os.remove(home .. '/.local/share/b2c-run')",
      "io.open(home .. '/.config/b2c-run/settings.plist', 'w')", "io.open(home .. '/plugins/a.lua', 'w')",
      "os.execute 'a; b'", "os.getenv 'A'", "io.open '/etc/hostname'", "b2c.http.get 'https://a.example'",
      "b2c.tasks.import('/proc/version')", "io.popen 'a'", "os.rename('/dev/null', 'a')",
    ])
  func hints(call: String) throws {
    let program = try Program()
    try program.write("a.lua", "b2c, home = require 'b2c', '\(program.folder.path)' \(call)")
    let result = try program.run("--allow-read", "--allow-write", "--no-prompt", "a.lua")
    let denied = result.status == 4 ? result : try program.run("--no-prompt", "a.lua")
    #expect(denied.status == 4 && denied.errors.contains("\n  hint: "), "\(denied)")
    for word in [" -A", "--allow-all"] { #expect(!denied.errors.contains(word), "\(denied)") }
    #expect(!denied.errors.contains("run with --allow-read=/proc"), "\(denied)")
  }

  @Test("what is installed beneath the user's own folders runs, and no script writes there")
  func installedForTheUser() throws {
    let program = try Program()
    let files = FileManager.default
    let local = program.folder.appending(path: ".local")
    try files.createDirectory(at: local.appending(path: "bin"), withIntermediateDirectories: true)
    try files.createDirectory(at: local.appending(path: "share/b2c-run"), withIntermediateDirectories: true)
    let binary = local.appending(path: "bin/b2c-run")
    try files.copyItem(at: Program.binary.resolvingSymlinksInPath(), to: binary)
    try files.copyItem(
      at: Program.project.appending(path: "scripts"), to: local.appending(path: "share/b2c-run/scripts"))
    // Needs a module of its folder.
    let tasks = try program.run(list: ["--local", "tasks"], executable: binary)
    #expect(tasks.status == 0 && tasks.errors.contains("has no tasks"), "\(tasks)")
    try program.write("a.lua", "io.open('.local/share/b2c-run/scripts/tasks.lua', 'w')")
    let writing = try program.run(list: ["--allow-write", "--no-prompt", "a.lua"], executable: binary)
    #expect(writing.status == 4 && writing.errors.contains("a file of the host's own"), "\(writing)")
  }

  @Test("links by which the host finds its files stay where they are")
  func hostLinks() throws {
    let program = try Program()
    try program.write("dotfiles/b2c-run/others", "mine")
    try program.write("in/mine.plist", "other")
    try program.write("elsewhere.plist", "mine")
    try program.write("linked.plist", "mine")
    let files = FileManager.default
    for (name, target) in [
      (".config", "dotfiles"), ("in/settings.plist", "../elsewhere.plist"),
      ("dotfiles/b2c-run/settings.plist", "../../linked.plist"),
    ] {
      try files.createSymbolicLink(
        atPath: program.folder.appending(path: name).path, withDestinationPath: target)
    }
    try program.write(
      "in/script.lua",
      """
      local function try(...) print(select(2, pcall(...)).code) end
      try(os.rename, "../.config", "../old")
      try(os.remove, "../.config")
      try(os.rename, "settings.plist", "old.plist")
      try(os.rename, "mine.plist", "settings.plist")
      try(os.remove, "settings.plist")
      try(io.open, "../linked.plist")
      try(io.open, "../.config/b2c-run/settings.plist")
      """)
    let line = "cd in && exec \"$0\" --no-prompt --allow-read --allow-write script.lua"
    let result = try program.run(list: ["-c", line, Program.binary.path], executable: URL(filePath: "/bin/bash"))
    #expect(result.output == String(repeating: "permission_denied\n", count: 7), "\(result)")
  }
}
