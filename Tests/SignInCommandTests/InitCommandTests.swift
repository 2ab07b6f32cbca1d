import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run init")
struct InitCommandTests {
  @Test("a person answers the questions on a terminal, and an empty answer takes the usual value")
  func questions() throws {
    let tenant = try RunningTenant()
    let authority = try #require(tenant.settings.firstMatch(of: #/<key>authority</key>\s*<string>([^<]+)/#)).1
    let session = try TerminalSession(
      tenant.program, ["init", String(authority), "--file", "mine.json", "--no-sign-in"], columns: 200)
    try session.expect("Register an application at Azure AD B2C:")
    try session.expect("Client ID:")
    session.type("my-app\r")
    try session.expect("Redirect URI [http://localhost]:")
    session.type("\r")
    try session.expect("Wrote mine.json")
    let text = try String(contentsOf: session.folder.appending(path: "mine.json"), encoding: .utf8)
    #expect(text.contains("\"clientID\": \"my-app\""), "\(text)")
    #expect(text.contains("\"redirectURL\": \"http://localhost\""), "\(text)")
  }
}
