import CommandLineSupport
import Foundation
import Testing

@Suite("Native authentication")
struct NativeSignInTests {
  @Test("the terminal asks for the address and the code")
  func terminal() throws {
    let script = """
      tenant.configure { native_method = "code" }
      print("welcome " .. accounts.sign_in { flow = "native" }.name)
      """
    let session = try TerminalSession(Program(), ["--local", "--set", "kind=external_id", "-e", script])
    try session.expect("Email address: ")
    session.type("alice@contoso.example\n")
    try session.expect("Code sent to a***e@contoso.example: ")
    session.type("0\n")
    try session.expect("Code sent to a***e@contoso.example: ")
    let code = try #require(session.screen.firstMatch(of: #/alice@contoso\.example: code (\d{8})/#)).1
    session.type("\(code)\n")
    try session.expect("welcome Alice Liddell")
    #expect(session.end() == 0)
  }

  @Test("a trace names the endpoints and holds no secrets")
  func trace() throws {
    let program = try Program()
    let script = Program.project.appending(path: "examples/flows/native.lua").path
    let result = try program.run("--local", "--trace", "native.json", script)
    #expect(result.status == 0, "\(result)")
    let trace = try String(contentsOf: program.folder.appending(path: "native.json"), encoding: .utf8)
    let codes = result.errors.matches(of: #/code (\d{8})/#).map { String($0.1) }
    #expect(codes.count == 2)
    for secret in ["Theremin-59", "Theremin-60"] + codes { #expect(!trace.contains(secret)) }
    let shown = try program.run("trace", "show", "native.json").output
    for words in ["POST signup/start", "POST signup/continue · attributes", "POST resetpassword/poll_completion"] {
      #expect(shown.contains(words), "\(shown)")
    }
  }

  @Test("tenant --kind takes a kind")
  func kind() throws {
    let result = try Program().run("tenant", "--kind", "entra")
    #expect(result.errors.contains("--kind: expected b2c or external_id, got 'entra'"), "\(result)")
  }
}
