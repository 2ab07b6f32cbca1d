import Foundation
import Testing

/// `agent = "webview"` on the local tenant's pages: the real engine, with a person who types.
@Suite(
  "The window", .serialized, .timeLimit(.minutes(4)),
  .enabled(if: Desk.problem == nil, Comment(rawValue: Desk.problem ?? "")))
struct WebViewTests {
  @Test("a wrong password, then the right one")
  func signsIn() async throws {
    let signIn = try WebViewSignIn()
    try await signIn.page("Sign in – Contoso", after: 1)
    try signIn.signIn("alice", "wrong")
    try await signIn.page("Error: Sign in – Contoso", after: 2)
    // The field for the password has the focus now.
    try signIn.desk.type("Wonderland-1")
    try signIn.desk.press("Return")
    let end = try await signIn.end()
    #expect(end == (0, "Alice Liddell by b2c_1_susi"))
    #expect(signIn.kinds == ["authorize", "login", "login", "redirect"])
  }
}
