import CommandLineSupport
import Foundation
import JSON
import Testing

@Suite("serve --sign-in")
struct PageSignInTests {
  /// A tenant, and a server whose pages have an application there. Returns the address of the pages.
  private func start(
    _ subject: String?, options: [String] = [], host: String = "127.0.0.1", scheme: String = "http"
  ) throws -> (server: RunningServer, tenant: RunningTenant, address: String) {
    let tenant = try RunningTenant()
    let subject = try subject ?? self.subject(of: tenant)
    let server = try RunningServer(["a": "{ on = { every = '1h' } }"], in: tenant.program, isStarted: false)
    try server.start(
      ["--sign-in", "pages.plist", "--allow-subject", subject] + options,
      executable: [
        "/usr/bin/python3", "-c",
        """
        import os, plistlib, socket, sys
        s = socket.socket(); s.bind(("\(host)", 0)); s.listen(); port = s.getsockname()[1]
        settings = plistlib.load(open("settings.plist", "rb"))
        settings["redirectURL"] = f"\(scheme)://localhost:{port}/signed-in"
        plistlib.dump(settings, open("pages.plist", "wb"))
        os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES="dashboard")
        os.execv(sys.argv[1], sys.argv[1:])
        """,
      ])
    return (server, tenant, "\(scheme)://localhost:\(try server.port("the jobs are at"))")
  }

  private func subject(of tenant: RunningTenant) throws -> String {
    try tenant.program.run(
      "-e",
      """
      local account = b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      print(account.claims.sub)
      """
    ).output.trimmingCharacters(in: .newlines)
  }

  private func signIn(_ browser: WebBrowser) async throws {
    try await browser.fill("#logonIdentifier", "alice")
    try await browser.fill("#password", "Wonderland-1")
    try await browser.leave(by: "button[value=sign_in]")
  }

  @Test("lets a named person in by a browser, back to the page that was asked for, and out again")
  func person() async throws {
    let (server, tenant, address) = try start(nil)
    try await WebBrowser.with { browser in
      try await browser.open("\(address)/jobs/a?x=1")
      try await signIn(browser)
      #expect(try await browser.address() == "\(address)/jobs/a?x=1")
      #expect(try await browser.text(".person") == "Alice Liddell")
      try await browser.leave(by: "form[action='/jobs/a/pause'] button")
      #expect(try await browser.text("h1") == "a paused")
      try await browser.open("\(address)/accounts")
      #expect(try await browser.text("main").contains("Alice Liddell"))
      #expect(try await browser.text("main").contains("b2c-run sign-in"))
      try await browser.open("\(address)/webhooks")
      #expect(try await browser.text("main").contains("No job starts by a webhook."))
      #expect(try await browser.evaluate("document.cookie").string == "")
      try await browser.leave(by: "form[action='/sign-out'] button")
      #expect(try await browser.text("h1") == "Signed out")
      // The provider still knows the person.
      try await browser.leave(by: "main p:last-of-type a")
      #expect(try await browser.text("h1") == "Jobs")
    }
    #expect(server.text.contains("has signed in at the pages"))
    withExtendedLifetime(tenant) {}
  }

  @Test("lets nobody else in, and says who it was")
  func stranger() async throws {
    let (server, tenant, address) = try start("somebody")
    try await WebBrowser.with { browser in
      try await browser.open("\(address)/")
      try await signIn(browser)
      #expect(try await browser.text("h1") == "You may not use these pages")
    }
    let subject = try subject(of: tenant)
    try server.wait(for: "\(subject) may not use the pages; --allow-subject \(subject) would allow it")
    #expect(try curl(server, "-o", "/dev/null", "-w", "%{http_code}", "\(address)/api/jobs") == "401")
  }

  @Test("takes no answer that this browser has not asked for")
  func forged() throws {
    let (server, tenant, address) = try start("somebody")
    #expect(try curl(server, "\(address)/signed-in?code=x&state=y").contains("The sign-in took too long"))
    let jar = ["-c", "jar", "-b", "jar"]
    let curl = { (words: [String]) in
      try server.program.run(
        list: ["-s", "--max-time", "30"] + jar + words, executable: URL(filePath: "/usr/bin/curl")
      ).output
    }
    for target in ["//evil.example/", "/\\evil.example", "https://evil.example/"] {
      _ = try curl(["-G", "--data-urlencode", "to=\(target)", "\(address)/sign-in"])
      #expect(try curl(["\(address)/signed-in?code=x&state=y"]).contains("The sign-in did not succeed"))
    }
    try server.wait(for: "the redirect's state is not the one that was sent")
    let other = try curl(["-o", "/dev/null", "-w", "%{http_code}", "-H", "Cookie: b2c-run=guess", "\(address)/runs"])
    #expect(other == "303")
    #expect(try curl(["-X", "POST", "-o", "/dev/null", "-w", "%{http_code}", "\(address)/jobs/a/run"]) == "401")
    withExtendedLifetime(tenant) {}
  }

  @Test("serves other machines by TLS, answers health checks, and takes access tokens of programs")
  func programs() throws {
    let program = try Program()
    let made = try program.run(
      list: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "certificate.pem",
      ], executable: URL(filePath: "/usr/bin/openssl"))
    #expect(made.status == 0, "\(made)")
    let file = program.folder.appending(path: "certificate.pem").path
    let key = program.folder.appending(path: "key.pem").path
    let (server, tenant, address) = try start(
      nil, options: ["--certificate", file, "--key", key], host: "0.0.0.0", scheme: "https")
    func status(_ words: String...) throws -> String {
      try server.program.run(
        list: ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "30", "--cacert", file] + words,
        executable: URL(filePath: "/usr/bin/curl")
      ).output
    }
    #expect(try status("-H", "Host: 10.0.0.1", "\(address)/healthz") == "200")
    #expect(try status("-H", "Host: 10.0.0.1", "\(address)/readyz") == "200")
    #expect(try status("-H", "Host: evil.example", "\(address)/") == "421")
    #expect(try status("\(address)/") == "303")
    #expect(try status("\(address)/metrics") == "401")
    #expect(try status("-H", "Authorization: Bearer x.y.z", "\(address)/metrics") == "401")
    let cookie = try curl(server, "-i", "--cacert", file, "\(address)/sign-in")
    #expect(cookie.contains("__Host-b2c-run-sign-in=") && cookie.contains("; HttpOnly; SameSite=Lax; Secure"))
    let token = try server.program.run("token", "--reveal").output.trimmingCharacters(in: .newlines)
    #expect(try status("-H", "Authorization: Bearer \(token)", "\(address)/metrics") == "200")
    #expect(try status("-H", "Authorization: Bearer \(token)", "\(address)/api/accounts") == "200")
    #expect(try status("-H", "Authorization: Bearer \(token)", "\(address)/") == "303")
    // The ID token of a refresh has no nonce.
    let idToken = try server.program.run(
      "-A", "-e", "local a = require 'b2c'.accounts.current() a:refresh() print(a:id_token():reveal())"
    ).output.trimmingCharacters(in: .newlines)
    #expect(idToken.hasPrefix("eyJ"))
    #expect(try status("-H", "Authorization: Bearer \(idToken)", "\(address)/metrics") == "401")
    withExtendedLifetime(tenant) {}
  }
}
