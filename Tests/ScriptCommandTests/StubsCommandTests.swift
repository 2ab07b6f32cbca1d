import CommandLineSupport
import Foundation
import Testing

@Suite("stubs")
struct StubsCommandTests {
  @Test("writes a file for each module, and says what the editor is to be told")
  func folder() throws {
    let program = try Program()
    let result = try program.run("stubs", "--output", "editor/stubs")
    #expect(result.status == 0, "\(result)")
    #expect(result.output == "")
    #expect(result.errors.contains(#"{ "runtime.version": "Lua 5.4", "workspace.library": ["editor/stubs"] }"#))
    for (path, start) in [
      ("b2c.lua", "---@meta b2c\n"), ("b2c/tasks.lua", "---@meta b2c.tasks\n"), ("b2c/types.lua", "---@meta _\n"),
    ] {
      let url = program.folder.appending(path: "editor/stubs/\(path)")
      #expect(try String(contentsOf: url, encoding: .utf8).hasPrefix(start), "\(path)")
    }
    #expect(try program.run("stubs", "--output", "editor/stubs").status == 0, "written anew")
  }

  @Test("writes one file to standard output")
  func output() throws {
    let result = try Program().run("stubs")
    #expect(result.errors == "")
    #expect(result.output.hasPrefix("---@meta b2c\n") && result.output.hasSuffix("\nreturn b2c\n"))
    #expect(result.output.contains("\n---@return b2c.task # The task as the server returns it"))
  }
}
