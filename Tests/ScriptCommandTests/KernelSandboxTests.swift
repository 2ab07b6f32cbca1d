import CommandLineSupport
import Foundation
import HTTPServer
import Permissions
import Testing

/// All checks of the program are open in these runs. Only the kernel refuses.
@Suite("--no-prompt, with a door left open on purpose", .enabled(if: KernelSandbox.isAvailable))
struct KernelSandboxTests {
  private func run(_ flags: [String], _ line: String) throws -> Program.Result {
    let program = try Program()
    try program.write("outside/secret.txt", "secret")
    try program.write("inside/script.lua", line)
    return try program.run(
      list: flags + ["--no-prompt", "inside/script.lua"], environment: ["B2C_RUN_OPEN_DOOR": "1"])
  }

  @Test(
    "the kernel refuses what nobody has allowed",
    arguments: [
      "print(io.open('outside/secret.txt'))", "print(io.open('outside/new.txt', 'w'))",
      "print(os.remove('outside/secret.txt'))",
      "print(os.rename('outside/secret.txt', 'inside/secret.txt'))", "print(io.open('inside/new.txt', 'w'))",
    ])
  func files(_ line: String) throws {
    let result = try run([], line)
    #expect(result.status == 0 && result.output.contains("Permission denied"), "\(result)")
  }

  @Test("the kernel starts no program")
  func programs() throws {
    let result = try run([], "local p = io.popen('cat outside/secret.txt') print(p and p:read('a'), p and p:close())")
    #expect(!result.output.contains("secret"), "\(result)")
  }

  @Test("the kernel connects to no port that nobody has allowed")
  func ports() throws {
    let server = try HTTPServer { _ in ServerResponse(text: "[]", type: "application/json") }
    let line = "print(pcall(require('b2c').http.get, 'http://127.0.0.1:\(server.port)/'))"
    let refused = try run([], line)
    #expect(refused.output.hasPrefix("false"), "\(refused)")
    #expect(try run(["--allow-net=127.0.0.1:\(server.port)"], line).output.hasPrefix("true"))
    #expect(try run(["--allow-net"], line).output.hasPrefix("true"))
  }

  @Test(
    "what is allowed stays possible",
    arguments: [
      (["--allow-read=outside"], "print(io.open('outside/secret.txt'):read('a'))", "secret\n"),
      (["--allow-write=outside/new.txt"], "io.open('outside/new.txt', 'w'):write('x'):close() print 'done'", "done\n"),
      (["--allow-write=."], "print(os.rename('outside/secret.txt', 'inside/moved.txt'))", "true\n"),
      (["--allow-write=inside/script.lua"], "print(os.remove('inside/script.lua'))", "true\n"),
      (["--allow-run=cat"], "print(io.popen('cat outside/secret.txt'):read('a'))", "secret\n"),
      (["-A"], "print(io.open('outside/secret.txt'):read('a'))", "secret\n"),
      ([], "print(io.open('inside/script.lua'):read(5))", "print\n"),
    ])
  func allowed(_ flags: [String], _ line: String, _ output: String) throws {
    let result = try run(flags, line)
    #expect(result.output == output, "\(result)")
  }

  @Test("an import, a trace, a kept store and a module work in a held run")
  func everydayRuns() throws {
    let program = try Program()
    try program.write("tasks.csv", "text\nMilk\n")
    try program.write("module.lua", "return 'module'")
    try program.write(
      "script.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      print(require "module", b2c.tasks.import("tasks.csv").added)
      """)
    let result = try program.run(
      "--local=tenant.db", "--tls", "--store", "kept", "--trace", "trace.html", "--no-prompt", "script.lua")
    #expect(result.output == "module\t1\n", "\(result)")
    for file in ["trace.html", "tenant.db", "kept/accounts.sqlite"] {
      #expect(FileManager.default.fileExists(atPath: program.folder.appending(path: file).path), "\(file)")
    }
  }
}
