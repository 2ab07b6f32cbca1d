import CommandLineSupport
import Foundation
import Testing

@Suite("Permissions")
struct PermissionTests {
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
