import CommandLineSupport
import Testing

@Suite("b2c-run sign-out")
struct SignOutCommandTests {
  @Test("on a terminal, the person is asked", arguments: ["2", "Bob Baumeister"])
  func asked(answer: String) throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    try tenant.signIn("bob", "Skyscraper-2")
    let session = try TerminalSession(tenant.program, ["sign-out"])
    try session.expect(
      """
      Several accounts are signed in:\r
        1  Alice Liddell (b2c_1_susi)\r
        2  Bob Baumeister (b2c_1_susi)\r
      Which one? 
      """.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n"))
    session.type("\(answer)\n")
    #expect(session.end() == 0, "\(session.screen)")
    #expect(session.screen.hasSuffix("signed out  Bob Baumeister (b2c_1_susi)\r\n"))
    #expect(try tenant.names() == "Alice Liddell\tb2c_1_susi\n")
  }

  @Test("the address that ends the session in a browser can be used as it is shown")
  func shownAddress() throws {
    let tenant = try RunningTenant()
    let session = try TerminalSession(tenant.program, ["sign-in", "--agent", "terminal"])
    try session.expect("press Enter:")
    let address = try #require(session.screen.firstMatch(of: #/http:\/\/\S+\/authorize\S+/#)).output
    let browser = try tenant.program.run(
      "-e",
      """
      print(b2c.browser.open("\(address)", { agent = "headless", username = "alice", password = "Wonderland-1" }))
      """)
    session.type(browser.output)
    #expect(session.end() == 0, "\(session.screen)")
    let result = try tenant.program.run("sign-out", "--everywhere")
    #expect(result.status == 0, "\(result)")
    let logout = try #require(result.errors.firstMatch(of: #/http:\/\/\S+\/logout\S+/#)).output
    #expect(!logout.contains("secret") && !logout.contains("id_token_hint"), "\(result)")
    let page = try tenant.program.run("-e", "print(b2c.http.get('\(logout)').status)")
    #expect(page.output == "200\n", "\(page)")
  }
}
