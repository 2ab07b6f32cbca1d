import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run new")
struct NewCommandTests {
  @Test("writes a script that runs and a test that passes", arguments: ["weekly", "in/a folder/weekly-2.lua"])
  func starts(name: String) throws {
    let program = try Program()
    let result = try program.run("new", name)
    #expect(result.status == 0, "\(result)")
    let path = name.hasSuffix(".lua") ? String(name.dropLast(4)) : name
    #expect(result.output.hasPrefix("wrote \(path).lua and \(path)_test.lua\n"))
    let run = try program.run("--local", "\(path).lua")
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("3 added, 0 failed\n"))
    let test = try program.run("test")
    #expect(test.status == 0, "\(test)")
    #expect(test.output.contains("2 passed in "))
  }

  @Test("overwrites nothing, and then writes nothing")
  func refuses() throws {
    let program = try Program()
    try program.write("weekly_test.lua", "mine")
    let result = try program.run("new", "weekly")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        b2c-run: new: weekly_test.lua is there already
          hint: choose another name, or move it away

        """)
    #expect(!FileManager.default.fileExists(atPath: program.folder.appending(path: "weekly.lua").path))
  }

  @Test(arguments: ["a b", "", "x/", "b2c.tasks", "../ü", "weekly_test"])
  func badName(name: String) throws {
    let program = try Program()
    let result = try program.run("new", name)
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("b2c-run: new: "), "\(result)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.path).allSatisfy { $0.hasPrefix(".") })
  }
}
