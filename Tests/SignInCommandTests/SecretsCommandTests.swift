import CommandLineSupport
import Foundation
import Testing

@Suite("secrets")
struct SecretsCommandTests {
  private static let show = "local s = b2c.secrets.get(\"key\") print(s, #s:reveal())"

  @Test("prefers the secret of the service, whose file scripts cannot read")
  func service() throws {
    let program = try Program()
    try program.write("credentials/key", "from systemd\n")
    let variables = ["CREDENTIALS_DIRECTORY": program.folder.appending(path: "credentials").path]
    _ = try program.run("secrets", "set", "key", input: "kept")
    let result = try program.run(list: ["-A", "-e", Self.show], environment: variables)
    #expect(result.output == "[secret]\t12\n", "\(result)")
    let read = try program.run(
      list: ["--allow-read", "--no-prompt", "-e", "print(pcall(io.lines, 'credentials/key'))"], environment: variables)
    #expect(read.output.contains("which is a file of the host's own"), "\(read)")
  }

  @Test("asks for the secret on a terminal without showing it")
  func asks() throws {
    let program = try Program()
    let session = try TerminalSession(program, ["secrets", "set", "key"])
    try session.expect("Secret key: ")
    session.type("hidden-words\r")
    try session.expect("set the secret key")
    #expect(session.end() == 0)
    #expect(!session.screen.contains("hidden-words"))
    #expect(try program.run("-A", "-e", Self.show).output == "[secret]\t12\n")
  }
}
