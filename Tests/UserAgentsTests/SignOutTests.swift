import Core
import HTTPClient
import HTTPServer
import HostLoop
import Testing
import UserAgents

/// Visits of the headless agent to a logout endpoint.
@Suite struct SignOutTests {
  private static let signIn =
    "<form method=post><input name=username><input type=password name=pw><button>Go</button></form>"
  /// Canaille's, of which the first button stays.
  private static let question =
    "<form method=post><button name=answer value=stay>Stay logged</button><button name=answer value=logout>Logout</button></form>"

  /// The outcome at a provider that answers each path as the table says; `POST /logout` also without a body.
  @HostActor private func visit(
    _ answers: [String: ServerResponse], redirectURI: String? = nil
  ) async throws -> (outcome: SignOutVisit, seen: [String]) {
    let site = try Site { request in
      answers["\(request.method) \(request.path) \(request.field("answer") ?? "")"]
        ?? answers["\(request.method) \(request.path)"] ?? .page("nothing here", status: 404)
    }
    let request = NavigationRequest(url: "\(site.url)/logout", redirectURI: redirectURI, timeout: 20)
    return (try await HeadlessAgent(http: HTTPClient()).signOut(request), site.seen)
  }

  @Test(
    arguments: [
      ["GET /logout": .redirect(Site.redirectURI)],
      ["GET /logout": .page("<h1>Signed out</h1>")],
      ["GET /logout": ServerResponse(status: 200, text: "OK", type: "text/plain")],
      ["GET /logout": ServerResponse(status: 204)],
      ["GET /logout": .page(signIn)],
      ["GET /logout": .redirect("/"), "GET /": .redirect("/login"), "GET /login": .page(signIn)],
      ["GET /logout": .page(question), "POST /logout logout": .redirect("/login"), "GET /login": .page(signIn)],
      [
        "GET /logout": .page(
          "<form method=post><input type=hidden name=t value=1><input type=submit value=Yes></form>"),
        "POST /logout": .page("Good bye"),
      ],
      // A form that nobody sees, as some providers use it.
      [
        "GET /logout": .page("<form method=post><input type=hidden name=t value=1></form>"),
        "POST /logout": .redirect(Site.redirectURI),
      ],
      ["GET /logout": .redirect("/logout/", status: 301), "GET /logout/": .page("Good bye")],
      ["GET /logout": .page("<meta http-equiv=refresh content='0; url=/bye'>"), "GET /bye": .page("Good bye")],
    ] as [[String: ServerResponse]])
  @HostActor func theSessionHasEnded(_ answers: [String: ServerResponse]) async throws {
    #expect(try await visit(answers, redirectURI: Site.redirectURI).outcome == .ended)
  }

  @Test(
    arguments: [
      (["GET /logout": .redirect("/")], "status 404"),
      (
        ["GET /logout": .redirect("/"), "GET /": .page("Welcome <form action=/search><input name=q></form>")], "Welcome"
      ),
      (["GET /logout": .redirect("http://example.invalid/bye")], "example.invalid"),
      (["GET /logout": .redirect("/logout")], "20 steps"),
      (["GET /logout": .page("<script>logout()</script><noscript>Turn scripts on</noscript>")], "says"),
      (
        ["GET /logout": ServerResponse(status: 200, text: #"{"state": 1}"#, type: "application/json")],
        "application/json"
      ),
      // The same question again: pressing the button once more would change nothing.
      (["GET /logout": .page(question), "POST /logout logout": .page(question)], "Stay logged"),
    ] as [([String: ServerResponse], String)])
  @HostActor func nobodyKnows(_ answers: [String: ServerResponse], _ words: String) async throws {
    guard case .unknown(let reason) = try await visit(answers).outcome else {
      Issue.record("it has ended")
      return
    }
    #expect(reason.contains(words), "\(reason)")
  }

  @Test(
    arguments: [
      ["GET /logout": .page("no such client", status: 400)],
      ["GET /logout": ServerResponse(status: 503, text: "{}", type: "application/json")],
      ["GET /logout": .redirect("/logout/", status: 301), "GET /logout/": .page("broken", status: 500)],
      ["GET /logout": .page(question), "POST /logout logout": .page("no CSRF token", status: 403)],
    ] as [[String: ServerResponse]])
  @HostActor func theEndpointRefused(_ answers: [String: ServerResponse]) async throws {
    await #expect(throws: UserAgentError.self) { try await visit(answers) }
  }

  @Test @HostActor func noButtonThatStaysIsPressed() async throws {
    let visit = try await visit(["GET /logout": .page(Self.question), "POST /logout logout": .page("Good bye")])
    #expect(visit.seen == ["GET /logout", "POST /logout"])
    #expect(visit.outcome == .ended)
  }
}
