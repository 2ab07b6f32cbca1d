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
}
