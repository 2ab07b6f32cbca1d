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

  @Test(
    "an option without an effect is refused, before a question and before a request",
    arguments: [
      (["--flow", "device_code", "--login-hint", "alice"], "--login-hint has no effect with --flow device_code"),
      (
        ["--flow", "client_credentials", "--password-secret", "pw"],
        "--password-secret has no effect with --flow client_credentials"
      ),
      (["--flow", "silent", "--prompt", "login"], "--prompt has no effect with --flow silent"),
      (["--agent", "terminal", "--password-secret", "pw"], "--password-secret has no effect with --agent terminal"),
      (
        ["--flow", "device_code", "--agent", "webview", "--password-secret", "pw"],
        "--password-secret has no effect with --agent webview"
      ),
    ] as [([String], String)])
  func withoutEffect(_ options: [String], _ message: String) throws {
    let result = try Program().run(list: ["--local", "sign-in"] + options)
    #expect(result.status == 2, "\(result)")
    #expect(result.errors.hasPrefix("b2c-run: sign-in: \(message)\n  hint: leave it out"), "\(result)")
  }

  @Test("the flow native takes the password of --password-secret, and --login-hint")
  func native() throws {
    let program = try Program()
    #expect(try program.run("--store", "kept", "secrets", "set", "alice", input: "Wonderland-1").status == 0)
    let result = try program.run(
      "--local", "--store", "kept", "--set", "kind=external_id", "sign-in", "--flow", "native", "--login-hint",
      "alice@contoso.example",
      "--password-secret", "alice")
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasPrefix("signed in  Alice Liddell\n"), "\(result)")
  }

  @Test("an application signs in as itself")
  func application() throws {
    let result = try Program().run(
      "--local", "--set", "clientID=b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b", "--set",
      "clientSecret=local-secret-of-the-web-app", "sign-in", "--flow", "client_credentials", "--scopes",
      "https://contoso.onmicrosoft.com/tasks/.default")
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasPrefix("signed in  b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b\n"))
    #expect(result.output.contains("expires    in 60 min, then refreshed\n"))
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

  @Test(
    "wrong use",
    arguments: [
      (["--agent", "browser"], "sign-in: --agent: expected one of system, terminal, headless, webview, got 'browser'"),
      (["--flow"], "sign-in: --flow: expected FLOW after it"),
      (
        ["--flow", "pasword"],
        "sign-in: --flow: expected one of authorization_code, backchannel, client_credentials, device_code, native, password, refresh, silent, "
          + "got 'pasword'\n  hint: did you mean 'password'?"
      ),
      (["--polcy", "x"], "sign-in: unknown option --polcy\n  hint: did you mean --policy?"),
      (["alice"], "sign-in: unexpected argument 'alice'\n  hint: the command is b2c-run sign-in [options]"),
    ])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try Program().run(list: ["sign-in"] + arguments)
    #expect(result.status == 2)
    #expect(result.errors == "b2c-run: \(message)\n")
  }

  @Test("what is wrong with the command is not said with a line of the script")
  func messages() throws {
    let settings = try Program().run("sign-in")
    #expect(settings.status == 3)
    #expect(settings.errors.hasPrefix("b2c-run: there are no settings: looked for "))
    let terminal = try Program().withoutTerminal("--local", "sign-in", "--agent", "headless")
    #expect(terminal.status == 1)
    #expect(
      terminal.errors == """
        b2c-run: sign-in: there is no terminal to ask for the user name
          hint: give --login-hint NAME and --password-secret NAME, a secret of b2c-run secrets; or use --agent terminal

        """)
  }
}
