import CommandLineSupport
import Foundation
import Testing

@Suite struct LinkedScriptTests {
  private func ground() throws -> Program {
    let program = try Program()
    try program.write("real/app.lua", "print(require 'lib')")
    try program.write("real/lib.lua", "return 'found'")
    try program.write("bin/beside.lua", "return 'beside the link'")
    for (link, target) in [
      ("bin/app", "../real/app.lua"), ("bin/chain.lua", "app"), ("folder", "real"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: program.folder.appending(path: link).path, withDestinationPath: target)
    }
    return program
  }

  @Test(
    "a linked script finds its modules beside the real file", arguments: ["bin/app", "bin/chain.lua", "folder/app.lua"])
  func modules(path: String) throws {
    let program = try ground()
    for flags in [[], ["--no-prompt"]] {
      let run = try program.run(list: flags + [path])
      #expect(run.output == "found\n", "\(run)")
    }
    #expect(try program.run("check", path).status == 0)
  }

  @Test("and not those beside the link, which it may not read")
  func besideTheLink() throws {
    let program = try ground()
    try program.write("real/app.lua", "print(pcall(require, 'beside')) print(pcall(io.open, 'bin/beside.lua'))")
    let run = try program.run("--no-prompt", "bin/app")
    #expect(run.output.hasPrefix("false\tmodule 'beside' not found"), "\(run)")
    #expect(run.output.contains("io.open: needs permission to read "), "\(run)")
  }

  @Test("so do tests and the scripts that they run, and plugins")
  func tests() throws {
    let program = try ground()
    try program.write(
      "real/app_test.lua",
      "it('is', function() expect(require 'lib').to_equal('found') expect(test.run('app.lua').output).to_equal('found\\n') end)"
    )
    try program.write(
      "real/plugin.lua",
      "assert(require 'lib' == 'found') return { commands = { hello = { run = function() print 'hello' end } } }")
    for name in ["app_test.lua", "plugin.lua"] {
      try FileManager.default.createSymbolicLink(
        atPath: program.folder.appending(path: "bin/\(name)").path, withDestinationPath: "../real/\(name)")
    }
    let tests = try program.run("test", "bin/app_test.lua")
    #expect(tests.status == 0, "\(tests)")
    let plugin = try program.run("--plugin", "bin/plugin.lua", "hello")
    #expect(plugin.output == "hello\n", "\(plugin)")
  }
}
