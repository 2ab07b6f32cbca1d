import CommandLineSupport
import Foundation
import Testing

/// Tests of the codes that the pages of the tenant of `--local` show to the user.
@Suite("Codes by mail and SMS, with --local")
struct TenantMessageTests {
  @Test("the code is told before it is asked for, and is the one that signs in")
  func secondFactor() throws {
    let session = try TerminalSession(Program(), ["--local", "sign-in", "--agent", "headless", "--policy", "mfa"])
    try session.expect("User name: ")
    session.type("alice\n")
    try session.expect("Password of alice: ")
    session.type("Wonderland-1\n")
    try session.expect("One-time code: ")
    let told = try #require(
      session.screen.firstMatch(of: #/\r\ninfo  SMS to alice@contoso\.example: code (\d{6})\r\nOne-time code: /#),
      "\(session.screen)")
    session.type("\(told.output.1)\n")
    #expect(session.end() == 0, "\(session.screen)")
    #expect(session.screen.contains("policy     b2c_1_mfa\r\n"))
  }

  @Test("a reset's code is told as it is, is in no trace, and is left out with --quiet")
  func reset() throws {
    let program = try Program()
    let script = """
      local agent = { agent = "headless", policy = "reset", on_page = function(page)
        local title = page.title
        if title:find "Reset" then page:fill("logonIdentifier", "alice") page:submit() end
        if title:find "Verify" then
          io.write(b2c.tenant.outbox()[1].code)
          page:fill("verificationCode", b2c.tenant.outbox()[1].code) page:submit()
        end
        if title:find "Choose" then
          page:fill("newPassword", "Rabbit-Hole-4") page:fill("reenterPassword", "Rabbit-Hole-4")
          page:submit()
        end
      end }
      b2c.accounts.sign_in(agent)
      """
    let result = try program.run(
      "--local", "--trace", "run.json", "-e", script)
    #expect(result.status == 0, "\(result)")
    #expect(result.output.wholeMatch(of: #/\d{6}/#) != nil, "\(result)")
    #expect(
      result.errors == """
        info  mail to alice@contoso.example: code \(result.output)
        info  wrote the trace run.json: b2c-run trace show reads it

        """)
    let trace = try String(contentsOf: program.folder.appending(path: "run.json"), encoding: .utf8)
    #expect(trace.contains("/b2c_1_reset/"))
    #expect(!trace.contains(result.output))
    #expect(try program.run("--quiet", "--local", "-e", script).errors == "")
  }
}
