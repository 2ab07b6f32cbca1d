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
