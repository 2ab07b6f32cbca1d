import CommandLineSupport
import Foundation
import Testing

/// Variables that make libraries do something that nobody has asked this program for.
@Suite struct EnvironmentTests {
  @Test("the keys of TLS connections are written only if an option asks for it")
  func keys() throws {
    let program = try Program()
    let file = program.folder.appending(path: "keys")
    let script = ["--local", "--tls", "-e", "b2c.tenant.sign_in() b2c.tasks.add 'x'"]
    let silent = try program.run(list: script, environment: ["SSLKEYLOGFILE": file.path])
    #expect(silent.status == 0, "\(silent)")
    #expect(!FileManager.default.fileExists(atPath: file.path))
    let asked = try program.run(list: ["--tls-keys", file.path] + script)
    #expect(asked.status == 0, "\(asked)")
    #expect(try String(contentsOf: file, encoding: .utf8).contains("CLIENT_TRAFFIC_SECRET"))
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
  }

  /// The configuration of this test leaves OpenSSL without its algorithms.
  @Test("no variable configures the cryptography")
  func configuration() throws {
    let program = try Program()
    try program.write(
      "openssl.cnf", "openssl_conf = a\n[a]\nproviders = b\n[b]\nbase = c\n[c]\nactivate = 1\n")
    let run = try program.run(
      list: ["--local", "-e", "print(b2c.jose.key.generate({ alg = 'ES256' }) ~= nil)"],
      environment: ["OPENSSL_CONF": program.folder.appending(path: "openssl.cnf").path])
    #expect(run.status == 0 && run.output == "true\n", "\(run)")
  }

  @Test("variables of Lua run nothing and find nothing")
  func lua() throws {
    let program = try Program()
    try program.write("evil.lua", "print 'evil'")
    var environment = ["LUA_INIT": "print 'init'", "LUA_INIT_5_4": "print 'init'"]
    for name in ["LUA_PATH", "LUA_PATH_5_4", "LUA_CPATH", "LUA_CPATH_5_4"] {
      environment[name] = "\(program.folder.path)/?.lua"
    }
    try program.write("folder/s.lua", "print(pcall(require, 'evil'))")
    let run = try program.run(list: ["-A", "folder/s.lua"], environment: environment)
    #expect(run.output.hasPrefix("false\tmodule 'evil' not found"), "\(run)")
  }
}
