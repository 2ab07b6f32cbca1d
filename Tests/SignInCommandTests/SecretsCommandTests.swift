import CommandLineSupport
import Foundation
import Testing

@Suite("secrets")
struct SecretsCommandTests {
  private static let show = "local s = b2c.secrets.get(\"key\") print(s, #s:reveal())"

  @Test("keeps a secret for scripts that may use it")
  func keeps() throws {
    let program = try Program()
    #expect(try program.run("secrets", "set", "key", input: "correct horse\n").status == 0)
    #expect(try program.run("secrets", "list", "--json").output.hasPrefix("[{\"name\":\"key\",\"set\":\"20"))
    let denied = try program.run("--no-prompt", "-e", Self.show)
    #expect(denied.status == 4)
    #expect(
      denied.errors.contains(
        "secrets.get: needs permission to use the secret key\n  hint: run with --allow-secret=key"), "\(denied)")
    #expect(try program.run("--allow-secret=other", "--no-prompt", "-e", Self.show).status == 4)
    for flag in ["--allow-secret=key", "--allow-secret", "-A"] {
      #expect(try program.run(flag, "-e", Self.show).output == "[secret]\t13\n")
    }
    // It is sealed on the disk.
    let grep = try program.run(list: ["-r", "correct horse", "."], executable: URL(filePath: "/usr/bin/grep"))
    #expect(grep.status == 1, "\(grep)")
    #expect(try program.run("secrets", "remove", "key").status == 0)
    let gone = try program.run("-A", "-e", Self.show)
    #expect(gone.errors.contains("there is no secret 'key'\n  hint: set it first: b2c-run secrets set key"), "\(gone)")
  }

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

  @Test("signs in with the password of a secret, without a question")
  func signIn() throws {
    let program = try Program()
    _ = try program.run("secrets", "set", "alice", input: "Wonderland-1")
    let result = try program.run(
      "--local", "sign-in", "--agent", "headless", "--login-hint", "alice", "--password-secret", "alice")
    #expect(result.status == 0 && result.output.contains("Alice Liddell"), "\(result)")
  }

  @Test(
    "names mistakes",
    arguments: [
      (["set", "a/b"], "'a/b' is not the name of a secret"), (["set"], "secrets set: NAME is missing"),
      (["set", "key"], "secrets set: the secret is empty"), (["remove", "key"], "there is no secret 'key'"),
      (["set", "key", "--from", "none"], "secrets set: cannot read none: No such file or directory"),
      (["get", "key"], "secrets: expected one of set, list, remove, got 'get'"),
    ])
  func mistakes(_ words: [String], _ message: String) throws {
    let result = try Program().run(list: ["secrets"] + words)
    #expect(result.status != 0 && result.errors.contains(message), "\(result)")
  }
}
