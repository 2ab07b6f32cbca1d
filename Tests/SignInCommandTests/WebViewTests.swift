import CommandLineSupport
import Foundation
import Testing

/// `agent = "webview"` on the local tenant's pages: the real engine, with a person who types.
@Suite(
  "The window", .serialized, .timeLimit(.minutes(4)),
  .enabled(if: Desk.problem == nil, Comment(rawValue: Desk.problem ?? "")))
struct WebViewTests {
  @Test("a wrong password, then the right one")
  func wrongPassword() async throws {
    // Without a page between the sign-in and the redirect. Such a page may or may not be drawn before it is left.
    let signIn = try WebViewSignIn(flags: ["--trace", "trace.json", "--set", "redirectURL=http://localhost:8499/cb"])
    try await signIn.page("Sign in – Contoso", after: 1)
    try signIn.enter("alice", "wrong")
    try await signIn.page("Error: Sign in – Contoso", after: 2)
    // The field for the password has the focus now.
    try signIn.desk.type("Wonderland-1")
    try signIn.desk.press("Return")
    #expect(try await signIn.end() == "Alice Liddell by b2c_1_susi")
    #expect(signIn.kinds == ["authorize", "login", "login", "redirect"])
    // The trace has the pages that the window showed.
    _ = try await signIn.script.end()
    let pages = try TraceTests.events(signIn.script.program).filter { $0["type"] as? String == "page" }
    #expect(pages.map { $0["title"] as? String } == ["Sign in – Contoso", "Error: Sign in – Contoso"])
    #expect(pages.map { $0["status"] as? Int } == [200, 200])
  }

  @Test(
    "in every response mode, wherever the redirect leads",
    arguments: ["query", "fragment", "form_post"],
    ["http://localhost:8499/cb", "com.onmicrosoft.contoso.tasks://oauth/cb", "urn:ietf:wg:oauth:2.0:oob"])
  func modes(mode: String, redirectURI: String) async throws {
    let signIn = try WebViewSignIn(
      "response_mode = \"\(mode)\"", flags: ["--set", "redirectURL=\(redirectURI)"])
    try await signIn.page("Sign in – Contoso", after: 1)
    try signIn.enter()
    #expect(try await signIn.end() == "Alice Liddell by b2c_1_susi")
    #expect(signIn.kinds == ["authorize", "login", "redirect"])
  }

  @Test("a code by SMS")
  func secondFactor() async throws {
    let signIn = try WebViewSignIn("policy = \"mfa\"", beside: Self.printCode)
    try await signIn.page("Sign in – Contoso", after: 1)
    try signIn.enter()
    try await signIn.page("Verify that it is you – Contoso", after: 2)
    try signIn.desk.type(try await signIn.script.printed("code "))
    try signIn.desk.press("Return")
    #expect(try await signIn.end() == "Alice Liddell by b2c_1_mfa")
  }

  @Test("a forgotten password: on with the policy for resetting it, in another window")
  func forgottenPassword() async throws {
    let signIn = try WebViewSignIn(
      before: """
        b2c.accounts.on_failed(function(failure)
          print("failed " .. failure.error.code)
          if failure.error.code == "AADB2C90118" then return { policy = "reset" } end
        end)
        """,
      beside: Self.printCode)
    try await signIn.page("Sign in – Contoso", after: 1)
    try signIn.desk.press("Tab", "Tab", "Tab", "Tab", "Return")
    #expect(try await signIn.script.printed("failed ") == "AADB2C90118")
    try await signIn.page("Reset your password – Contoso", after: signIn.kinds.count)
    try signIn.desk.type("alice")
    try signIn.desk.press("Return")
    let code = try await signIn.script.printed("code ")
    try await signIn.page("Verify your address – Contoso", after: signIn.kinds.count)
    try signIn.desk.type(code)
    try signIn.desk.press("Return")
    try await signIn.page("Choose a new password – Contoso", after: signIn.kinds.count)
    try signIn.enter("Wonderland-2", "Wonderland-2")
    #expect(try await signIn.end() == "Alice Liddell by b2c_1_reset")
  }

  @Test("canceled on the page")
  func canceled() async throws {
    let signIn = try WebViewSignIn()
    try await signIn.page("Sign in – Contoso", after: 1)
    try signIn.desk.press("Tab", "Tab", "Tab", "Return")
    #expect(try await signIn.end().hasPrefix("AADB2C90091: "))
  }

  @Test("a window that is closed is a failure of its own")
  func closed() async throws {
    let signIn = try WebViewSignIn()
    try await signIn.page("Sign in – Contoso", after: 1)
    try signIn.desk.press("ctrl+w")
    let end = try await signIn.end()
    #expect(end.hasPrefix("window_closed: the window was closed at http://127.0.0.1:"), "\(end)")
  }

  @Test("without a session nothing is kept; with one the user stays signed in, until everything is signed out")
  func session() async throws {
    let tenant = try RunningTenant()
    let home = tenant.program.folder
    for _ in 1...2 {
      let signIn = try WebViewSignIn(tenant: tenant)
      try await signIn.page("Sign in – Contoso", after: 1)
      try signIn.enter()
      #expect(try await signIn.end() == "Alice Liddell by b2c_1_susi")
      #expect(!FileManager.default.fileExists(atPath: home.appending(path: ".local/state/b2c-run/webview").path))
    }
    let first = try WebViewSignIn("session = \"work\"", tenant: tenant)
    try await first.page("Sign in – Contoso", after: 1)
    try first.enter()
    #expect(try await first.end() == "Alice Liddell by b2c_1_susi")
    let kept = home.appending(path: ".local/state/b2c-run/webview/work.json")
    func rights(_ url: URL) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
    #expect(try rights(kept) == 0o600)
    #expect(try rights(kept.deletingLastPathComponent()) == 0o700)

    let second = try WebViewSignIn("session = \"work\", flow = \"silent\"", tenant: tenant)
    #expect(try await second.end() == "Alice Liddell by b2c_1_susi")
    let out = try tenant.program.run(
      list: ["-e", "print(b2c.accounts.sign_out(b2c.accounts.current(), { everywhere = true }))"],
      environment: ["DISPLAY": second.desk.display])
    #expect(out.output == "true\n", "\(out)")
    #expect(!FileManager.default.fileExists(atPath: kept.path))
  }

  @Test("a certificate is trusted, or the sign-in is over")
  func certificates() async throws {
    let tenant = try RunningTenant(usesTLS: true)
    let authority = tenant.program.folder.appending(path: ".local/share/b2c-run/tenant-ca.pem").path
    let trusted = try WebViewSignIn(flags: ["--cacert", authority], tenant: tenant)
    try await trusted.page("Sign in – Contoso", after: 1)
    try trusted.enter()
    #expect(try await trusted.end() == "Alice Liddell by b2c_1_susi")
  }

  @Test("ends with the program")
  func endsWithTheProgram() async throws {
    let signIn = try WebViewSignIn()
    try await signIn.page("Sign in – Contoso", after: 1)
    kill(signIn.script.process.processIdentifier, SIGKILL)
    var isThere = true
    for _ in 0..<500 where isThere {
      isThere = try signIn.desk.title() != nil
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(!isThere)
  }

  @Test("when it crashes, or the page in it, the program knows", arguments: ["b2c-webview", "WebKitWebProces"])
  func crashes(name: String) async throws {
    let signIn = try WebViewSignIn()
    try await signIn.page("Sign in – Contoso", after: 1)
    let window = try #require(try Self.children(of: signIn.script.process.processIdentifier).first)
    let victim = try #require(([window.key] + Self.children(of: window.key).filter { $0.value == name }.keys).last)
    kill(victim, SIGKILL)
    let end = try await signIn.end()
    if name == "b2c-webview" {
      #expect(end == "webview_failed: the window is gone: \(Desk.window.path) ended by signal 9")
    } else {
      #expect(
        end.wholeMatch(of: #/webview_failed: the page at http:\S+/authorize is gone: it crashed/#) != nil, "\(end)")
    }
  }

  /// The processes that a process has started, and their names, cut off as the kernel does.
  private static func children(of process: pid_t) throws -> [pid_t: String] {
    func read(_ path: String) -> String { (try? String(contentsOf: URL(filePath: path), encoding: .utf8)) ?? "" }
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
    let children = tasks.flatMap { read("/proc/\(process)/task/\($0)/children").split(separator: " ") }
    return Dictionary(
      uniqueKeysWithValues: children.compactMap { pid_t($0) }.map {
        ($0, String(read("/proc/\($0)/comm").dropLast()))
      })
  }

  /// Tells the first code that the tenant sends.
  private static let printCode = """
    function()
      while #b2c.tenant.outbox() == 0 do b2c.async.sleep(0.02) end
      print("code " .. b2c.tenant.outbox()[1].code)
      io.stdout:flush()
    end
    """
}
