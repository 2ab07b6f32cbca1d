import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run sign-in")
struct SignInCommandTests {
  @Test("signs in with what is typed, says who it is and where it is kept; a second command finds the account")
  func headless() throws {
    let tenant = try RunningTenant()
    let session = try TerminalSession(tenant.program, ["--store", "kept", "sign-in", "--agent", "headless"])
    try session.expect("User name: ")
    session.type("alice\n")
    try session.expect("Password of alice: ")
    #expect(!session.isEchoing)
    session.type("Wonderland-1\n")
    #expect(session.end() == 0, "\(session.screen)")
    let lines = session.screen.split(whereSeparator: \.isNewline).map(String.init)
    for line in [
      "signed in  Alice Liddell", "type       B2C_Local_Tasks", "policy     b2c_1_susi",
      "expires    in 60 min, then refreshed",
      "kept in    kept/accounts.sqlite, sealed with the key file "
        + "kept/accounts-com_2e_onmicrosoft_2e_contoso_2e_tasks.key",
    ] {
      #expect(lines.contains(line), "\(line) in \(session.screen)")
    }
    #expect(!session.screen.contains("Wonderland"))
    let second = try tenant.program.run(
      "--store", "kept", "-e", "print(b2c.accounts.current().name, #b2c.tasks.list())")
    #expect(second.output == "Alice Liddell\t0\n", "\(second)")
  }

  @Test("the options are those of accounts.sign_in")
  func options() throws {
    let tenant = try RunningTenant()
    let session = try TerminalSession(
      tenant.program,
      [
        "sign-in", "--agent", "headless", "--login-hint", "bob", "--policy", "b2c_1_signin", "--account-type", "work",
        "--scopes", "openid 9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093",
      ])
    try session.expect("Password of bob: ")
    session.type("Skyscraper-2\n")
    #expect(session.end() == 0, "\(session.screen)")
    #expect(session.screen.contains("type       work\r\n"))
    #expect(session.screen.contains("policy     b2c_1_signin\r\n"))
    #expect(session.screen.contains("expires    in 60 min\r\n"), "no refresh token was asked for: \(session.screen)")
  }

  @Test("the flow password asks too, and has no page")
  func password() throws {
    let tenant = try RunningTenant()
    let session = try TerminalSession(
      tenant.program, ["sign-in", "--flow", "password", "--login-hint", "alice"])
    try session.expect("Password of alice: ")
    session.type("Wonderland-1\n")
    #expect(session.end() == 0, "\(session.screen)")
    #expect(session.screen.contains("policy     b2c_1_ropc\r\n"))
  }

  @Test("the agent terminal shows the address, and takes the one where the browser ends")
  func terminal() throws {
    let tenant = try RunningTenant()
    let session = try TerminalSession(tenant.program, ["sign-in", "--agent", "terminal", "--prompt", "login"])
    try session.expect("press Enter:")
    let address = try #require(session.screen.firstMatch(of: #/http:\/\/\S+\/authorize\S+/#)).output
    #expect(address.contains("prompt=login"))
    let browser = try tenant.program.run(
      "-e",
      """
      print(b2c.browser.open("\(address)", { agent = "headless", username = "alice", password = "Wonderland-1" }))
      """)
    session.type(browser.output)
    #expect(session.end() == 0, "\(session.screen)")
    #expect(session.screen.contains("signed in  Alice Liddell\r\n"))
  }

  @Test("the agent system opens what BROWSER names, which comes back")
  func system() throws {
    let tenant = try RunningTenant()
    let browser = try tenant.program.write(
      "browser",
      """
      #!/bin/sh
      exec "\(Program.binary.path)" --allow-net -e '
        local url = ...
        local redirect = b2c.browser.open(url, { agent = "headless", username = "alice", password = "Wonderland-1" })
        b2c.http.get(redirect)' "$1"
      """)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
    let result = try tenant.program.shell("BROWSER=\"$1\" \"$0\" sign-in --agent system", browser)
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasPrefix("signed in  Alice Liddell\n"), "\(result)")
  }

  @Test("a forgotten password: the sign-in goes on at the policy for resetting it")
  func forgottenPassword() throws {
    let tenant = try RunningTenant()
    let session = try TerminalSession(tenant.program, ["sign-in", "--agent", "terminal"])
    try session.expect("press Enter:")
    session.type("http://localhost?error=access_denied&error_description=AADB2C90118%3A+Forgotten")
    let address = try #require(session.screen.firstMatch(of: #/http:\/\/\S+\/authorize\S+/#)).output
    let state = try #require(address.firstMatch(of: #/[?&](state=[^&]+)/#)).output.1
    session.type("&\(state)\n")
    try session.expect("p=b2c_1_reset")
    #expect(
      session.screen.contains("info  the password was forgotten; continuing at the policy for resetting it\r\n"),
      "\(session.screen)")
    session.type("\u{3}")
    #expect(session.end() == 130, "\(session.screen)")
  }

  @Test("a second factor is asked for when it is wanted")
  func secondFactor() throws {
    let tenant = try RunningTenant()
    let session = try TerminalSession(tenant.program, ["sign-in", "--agent", "headless", "--policy", "mfa"])
    try session.expect("User name: ")
    session.type("alice\n")
    try session.expect("Password of alice: ")
    session.type("Wonderland-1\n")
    try session.expect("One-time code: ")
    session.type("000000\n")
    #expect(session.end() == 1, "\(session.screen)")
    #expect(session.screen.contains("b2c-run: the page"), "\(session.screen)")
  }

  @Test("what fails is said once, with what to do, and status 1")
  func failure() throws {
    let tenant = try RunningTenant()
    let session = try TerminalSession(
      tenant.program, ["sign-in", "--agent", "headless", "--login-hint", "alice"])
    try session.expect("Password of alice: ")
    session.type("not this one\n")
    #expect(session.end() == 1)
    let refusal = "refused the sign-in: We don't seem to recognize this user name and password."
    let page = "the page \"Error: Sign in – Contoso\" \(refusal)"
    #expect(session.screen.contains("\r\nb2c-run: \(page)"), "\(session.screen)")
    #expect(session.screen.hasSuffix("\r\n  hint: check the user name and the password\r\n"))
    #expect(try tenant.names() == "")
  }

  @Test("with --local the account is gone with the command, and that is said")
  func local() throws {
    let session = try TerminalSession(Program(), ["--local", "sign-in", "--agent", "headless"])
    try session.expect("User name: ")
    session.type("alice\n")
    try session.expect("Password of alice: ")
    session.type("Wonderland-1\n")
    #expect(session.end() == 0, "\(session.screen)")
    #expect(
      session.screen.contains("kept in    memory, and gone when this command ends; --store FOLDER keeps it\r\n"),
      "\(session.screen)")
  }
}
