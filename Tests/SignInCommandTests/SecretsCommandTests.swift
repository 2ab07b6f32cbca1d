import CommandLineSupport
import Foundation
import Testing

@Suite("secrets")
struct SecretsCommandTests {
  private static let show = "local s = b2c.secrets.get(\"key\") print(s, #s:reveal())"

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
