import CommandLineSupport
import Foundation
import Testing

@Suite("--profile")
struct ProfileTests {
  private static let script = """
    local b2c = require "b2c"
    local function compute()
      local sum = 0
      for i = 1, 2e7 do sum = sum + i % 7 end
      return sum
    end
    local function wait() b2c.async.sleep(0.3) end
    compute()
    wait()
    if ... then error "no" end
    """

  private let program: Program

  init() throws {
    program = try Program()
    try program.write("script.lua", Self.script)
  }

  /// The microseconds of each way in a file of folded stacks.
  private func ways(_ name: String) throws -> [String: Int] {
    let text = try String(contentsOf: program.folder.appending(path: name), encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    return Dictionary(
      uniqueKeysWithValues: lines.map { ($0.dropLast().joined(separator: " "), Int($0.last ?? "") ?? -1) })
  }

  @Test("keeps waiting apart from computing, by function and by call of the host")
  func folded() throws {
    #expect(try program.run("--profile", "p.folded", "script.lua").status == 0)
    let ways = try ways("p.folded")
    let main = "main chunk (script.lua)"
    let computing = ways["computing;\(main);compute (script.lua:2)"] ?? 0
    #expect(
      computing > 10_000 && computing > ways.filter { $0.key.hasPrefix("computing;") }.values.reduce(0, +) / 2,
      "\(ways)")
    #expect(ways["waiting;\(main);wait (script.lua:7);async.sleep"] ?? 0 >= 300_000, "\(ways)")
    #expect(!ways.keys.contains { $0.hasPrefix("waiting;") && $0.contains("compute") })
  }

  @Test("writes a page with flame graphs that fetches nothing, also after an error of the script")
  func page() throws {
    let result = try program.run("--profile", "p.html", "script.lua", "x")
    #expect(result.status == 1 && result.errors.contains("wrote the profile p.html"), "\(result)")
    let page = try String(contentsOf: program.folder.appending(path: "p.html"), encoding: .utf8)
    #expect(page.contains("default-src 'none'") && page.contains("<title>compute (script.lua:2): "))
    #expect(page.contains("Waiting: ") && page.contains("async.sleep"))
  }

  @Test("writes the profile of a script that ends the process, and leaves no other file")
  func exit() throws {
    try program.write("exits.lua", "for i = 1, 1e5 do end os.exit(3)")
    let result = try program.run("--profile", "p.folded", "--trace", "t.json", "exits.lua")
    #expect(result.status == 3 && result.errors.contains("wrote the profile p.folded"), "\(result)")
    let files = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
    #expect(
      files.contains("p.folded") && files.contains("t.json") && !files.contains { $0.hasSuffix(".part") }, "\(files)")
  }

  @Test("refuses a command that runs no script, and a file of the run")
  func noScript() throws {
    let command = try program.run("--profile", "p.html", "jobs")
    #expect(command.status == 2 && command.errors.contains("--profile: 'jobs' runs no script"), "\(command)")
    let both = try program.run("--profile", "p.html", "--trace", "./p.html", "script.lua")
    #expect(both.status == 2 && both.errors.contains("--profile and --trace name one file"), "\(both)")
    let own = try program.run("--profile", "p.folded", "script.lua", "p.folded")
    #expect(own.status == 1 && own.errors.contains("wrote the profile"))
    let replaced = try program.run("--profile", "p.folded", "script.lua", "p.folded")
    #expect(replaced.status == 2 && replaced.errors.contains("p.folded would be replaced"), "\(replaced)")
  }

  @Test("refuses a file of another kind, and one that cannot be written, before the script runs")
  func badFiles() throws {
    let other = try program.run("--profile", "p.svg", "script.lua")
    #expect(other.status == 2 && other.errors.contains("--profile: expected a file that ends in .html or .folded"))
    let nowhere = try program.run("--profile", "nowhere/p.html", "-e", "print 'ran'")
    #expect(nowhere.status == 1 && nowhere.output.isEmpty, "\(nowhere)")
  }
}
