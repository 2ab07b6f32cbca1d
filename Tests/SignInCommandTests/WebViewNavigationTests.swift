import CommandLineSupport
import Foundation
import HTTPServer
import Testing

/// Tests of the addresses that a window opens or refuses, on pages made for these tests.
@Suite(
  "Navigation of the window", .serialized, .timeLimit(.minutes(4)),
  .enabled(if: Desk.problem == nil, Comment(rawValue: Desk.problem ?? "")))
struct WebViewNavigationTests {
  @Test(
    "the redirect is caught before it is loaded, wherever it leads",
    arguments: [
      ("com.example.app:/callback", "com.example.app:/callback?code=c1&state=s1"),
      ("com.example.app://auth/cb", "com.example.app://auth/cb#code=c1&state=s1"),
      ("urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob?code=c1"),
      ("https://no-such-host.invalid/cb", "https://no-such-host.invalid/cb?code=c1&state=s1"),
      ("http://localhost:8499/cb?a=b", "http://localhost:8499/cb?a=b&code=c1#_=_"),
    ])
  func redirects(redirectURI: String, redirect: String) async throws {
    let server = try PageServer(["/": PageServer.redirect(redirect)])
    let visit = try WebViewSignIn(open: "\(server.url)/", redirectURI: redirectURI)
    #expect(try await visit.end() == redirect)
    #expect(visit.kinds == ["authorize", "redirect"])
  }

  @Test("what a form sends to the redirect URI is there once", arguments: ["get", "post"])
  func forms(method: String) async throws {
    let form = "<form method=\(method) action=com.example.app:/cb><input name=code value=c1><input name=method></form>"
    let server = try PageServer([
      "/": PageServer.page("Start", form + "<script>document.forms[0].submit()</script>")
    ])
    let visit = try WebViewSignIn(open: "\(server.url)/", redirectURI: "com.example.app:/cb")
    #expect(try await visit.end() == "com.example.app:/cb?code=c1&method=")
  }

  @Test("what looks like the redirect URI is not it")
  func lookalike() async throws {
    let server = try PageServer([
      "/": PageServer.page("Start", "<a autofocus href='/cb2?to=http://localhost:8499/cb'>On</a>"),
      "/cb2": PageServer.page("Not yet", "<a autofocus href='http://localhost:8499/cb?code=c1'>On</a>"),
    ])
    let visit = try WebViewSignIn(open: "\(server.url)/")
    try await visit.page("Start", after: 1)
    try visit.desk.press("Return")
    try await visit.page("Not yet", after: 2)
    try visit.desk.press("Return")
    #expect(try await visit.end() == "http://localhost:8499/cb?code=c1")
    #expect(visit.kinds == ["authorize", "other", "redirect"])
  }

  @Test("on_navigate shows and hides")
  func hides() async throws {
    // The hidden page goes on by itself, to one that waits for the person.
    let server = try PageServer([
      "/": PageServer.page("Start", "<a autofocus href='/hidden'>On</a>"),
      "/hidden": PageServer.page("Hidden", "<meta http-equiv=refresh content='0; url=/gate'>"),
      "/gate": PageServer.page("Gate", "<script>location = '/shown'</script>"),
      "/shown": PageServer.page("Shown", "<a autofocus href='http://localhost:8499/cb?code=c1'>On</a>"),
    ])
    let visit = try WebViewSignIn(
      open: "\(server.url)/",
      navigate: """
        if url:find "/gate$" then
          while not io.open "go" do b2c.async.sleep(0.02) end
        end
        if url:find "/hidden$" or url:find "/gate$" then return "hide" end
        return "show"
        """)
    try await visit.page("Start", after: 1)
    try visit.desk.press("Return")
    _ = try await visit.script.printed("3 ")
    #expect(try visit.desk.title() == nil)
    try visit.script.program.write("go", "")
    try await visit.page("Shown", after: 4)
    try visit.desk.press("Return")
    #expect(try await visit.end() == "http://localhost:8499/cb?code=c1")
    #expect(server.paths.filter { $0 != "/favicon.ico" } == ["/", "/hidden", "/gate", "/shown"])
  }

  @Test("on_navigate stops, also at the redirect", arguments: ["authorize", "redirect"])
  func stops(kind: String) async throws {
    let server = try PageServer(["/": PageServer.redirect("http://localhost:8499/cb?code=c1")])
    let visit = try WebViewSignIn(
      open: "\(server.url)/", navigate: "if kind == \"\(kind)\" then return \"stop\" end")
    let place = kind == "authorize" ? "\(server.url)/" : "http://localhost:8499/cb"
    #expect(try await visit.end() == "stopped: the sign-in was stopped by on_navigate at \(place)")
    #expect(server.paths == (kind == "authorize" ? [] : ["/"]))
  }

  @Test(
    "a link to elsewhere is not followed, and the page stays",
    arguments: ["http://example.com/", "file:///etc/passwd", "mailto:somebody@example.com", "ftp://127.0.0.1/"])
  func refusedLinks(target: String) async throws {
    let server = try PageServer([
      "/": PageServer.page(
        "Start", "<a autofocus href='\(target)'>There</a> <a href='http://localhost:8499/cb?code=c1'>On</a>")
    ])
    let visit = try WebViewSignIn(open: "\(server.url)/")
    try await visit.page("Start", after: 1)
    try visit.desk.press("Return", "Tab", "Return")
    #expect(try await visit.end() == "http://localhost:8499/cb?code=c1")
    #expect(visit.kinds == ["authorize", "redirect"])
  }

  @Test("a page that leads elsewhere by itself ends it", arguments: ["http://example.com/x", "other.app:/cb"])
  func insecure(target: String) async throws {
    let server = try PageServer(["/": PageServer.redirect("\(target)?code=c1")])
    let visit = try WebViewSignIn(open: "\(server.url)/")
    let end = try await visit.end()
    #expect(end.hasPrefix("insecure_url: the sign-in leads to \(target), which is neither https"), "\(end)")
  }

  @Test("a download is refused, and the page stays")
  func downloads() async throws {
    let file = ServerResponse(
      headers: [("Content-Disposition", "attachment; filename=x.txt")], text: "x", type: "text/plain")
    let server = try PageServer([
      "/": PageServer.page(
        "Start", "<a autofocus href='/file'>File</a> <a href='http://localhost:8499/cb?code=c1'>On</a>"),
      "/file": file,
    ])
    let visit = try WebViewSignIn(open: "\(server.url)/")
    try await visit.page("Start", after: 1)
    try visit.desk.press("Return")
    try await visit.page("Start", after: 2)
    try visit.desk.press("Tab", "Return")
    #expect(try await visit.end() == "http://localhost:8499/cb?code=c1")
    let atOnce = try WebViewSignIn(open: "\(server.url)/file")
    #expect(
      try await atOnce.end() == "page_failed: \(server.url)/file: answered with a file to download, and not with a page"
    )
  }

  @Test("another window opens in this one, and no dialog waits for anybody")
  func windows() async throws {
    let server = try PageServer([
      "/": PageServer.page(
        "Start", "<script>alert(1); confirm(2); open('/popup')</script><a autofocus target=_blank href='/two'>On</a>"),
      "/two": PageServer.page("Two", "<a autofocus href='http://localhost:8499/cb?code=c1'>On</a>"),
    ])
    let visit = try WebViewSignIn(open: "\(server.url)/")
    try await visit.page("Start", after: 1)
    try visit.desk.press("Return")
    try await visit.page("Two", after: 2)
    try visit.desk.press("Return")
    #expect(try await visit.end() == "http://localhost:8499/cb?code=c1")
    #expect(!server.paths.contains("/popup"))
  }

  @Test("of a host that is too long for the window its end is seen, and not its beginning")
  func longHost() async throws {
    let server = try PageServer(["/": PageServer.page("Start", "hello")])
    let port = try #require(server.url.split(separator: ":").last)
    let middle = [String(repeating: "a", count: 50), String(repeating: "b", count: 50)].joined(separator: ".")
    func visit(_ start: String, _ end: String) async throws -> WebViewSignIn {
      let visit = try WebViewSignIn(open: "http://\(start).\(middle).\(end).localhost:\(port)/")
      try await visit.page("Start", after: 1)
      return visit
    }
    func bar(_ visit: WebViewSignIn) throws -> [Data] { try visit.desk.picture(width: 520, height: 50) }
    let first = try await visit("login.contoso.com", "one")
    let sameEnd = try await visit("fabrikam.com", "one")
    let otherEnd = try await visit("login.contoso.com", "two")
    _ = try await sameEnd.script.wait { try bar(first) == bar(sameEnd) ? true : nil }
    #expect(try bar(first) != bar(otherEnd))
    for visit in [first, sameEnd, otherEnd] {
      try visit.desk.press("ctrl+w")
      #expect(try await visit.end().hasPrefix("window_closed: "))
    }
  }

  @Test("a certificate nobody vouches for ends it")
  func untrusted() async throws {
    let server = try PageServer(tls: .selfSigned(), ["/": PageServer.page("Start", "hello")])
    let visit = try WebViewSignIn(open: "\(server.url)/")
    #expect(
      try await visit.end()
        == "untrusted_certificate: the certificate of \(server.url)/ is not trusted: its issuer is not known")
    #expect(server.paths.isEmpty)
  }

  @Test("a server that is not there")
  func unreachable() async throws {
    let url = try PageServer([:]).url
    let visit = try WebViewSignIn(open: "\(url)/")
    let end = try await visit.end()
    #expect(end.hasPrefix("page_failed: \(url)/: "), "\(end)")
  }
}
