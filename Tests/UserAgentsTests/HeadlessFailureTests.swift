import Core
import HTTPServer
import HostLoop
import Testing
import UserAgents

/// The error of a page that the headless agent cannot pass has the page's own words.
@Suite struct HeadlessFailureTests {
  static let form =
    "<form method=post><input name=username><input type=password name=password><button>Go</button></form>"

  @Test(arguments: [200, 400]) @HostActor func wrongPassword(status: Int) async throws {
    let site = try Site { request in
      request.method == "GET"
        ? .page(Self.form)
        : .page(
          "<p role=alert>AADB2C90053: A user with the specified credential could not be found.</p>\(Self.form)",
          status: status)
    }
    let error = try #require(await #expect(throws: UserAgentError.self) { try await site.open() })
    #expect(error.kind == .signInRejected)
    #expect(error.code == "AADB2C90053")
    #expect(
      error.description == """
        the page "Sign in" refused the sign-in: AADB2C90053: A user with the specified \
        credential could not be found. (check the user name and the password)
        """)
    #expect(error.details["aadb2c_code"] == "AADB2C90053")
    #expect(site.requests.count == 2)
  }

  @Test @HostActor func wrongPasswordWithoutAReason() async throws {
    let site = try Site { _ in .page(Self.form) }
    let error = await #expect(throws: UserAgentError.self) { try await site.open() }
    #expect(
      error?.message
        == "the page \"Sign in\" refused the sign-in: it asks for the password again")
    #expect(site.requests.count == 2)
  }

  @Test @HostActor func nothingToFillIn() async throws {
    let site = try Site { request in
      request.method == "GET"
        ? .page(Self.form)
        : .page(
          "<h1>Verify</h1><a href=/help>Help</a><form><label>Pet <input name=pet></label><input name=note type=search><button>Go</button></form>"
        )
    }
    let error = try #require(await #expect(throws: UserAgentError.self) { try await site.open() })
    #expect(error.kind == .pageNotUnderstood)
    #expect(
      error.description == """
        the page "Sign in" at \(site.url)/oauth2/authorize has no form to sign in with; its fields are "pet" (text, \
        Pet), "note" (search); its buttons are "Go"; its links are "Help"; it says: Verify Help Pet Go (fill it in or \
        follow a link in on_page, or use another agent)
        """)
  }

  @Test(
    arguments: [
      (nil, "pw", "a user name", "username"), ("alice", nil, "a password", "password"),
    ] as [(String?, String?, String, String)])
  @HostActor func credentialsNotGiven(username: String?, password: String?, what: String, option: String) async throws {
    let site = try Site { _ in .page(Self.form) }
    let error = await #expect(throws: UserAgentError.self) {
      try await site.open(username: username, password: password)
    }
    #expect(
      error?.description == """
        the page "Sign in" at \(site.url)/oauth2/authorize asks for \(what), and none was given (give \(option) = …, or \
        fill the page in on_page)
        """)
  }

  @Test @HostActor func errorPage() async throws {
    let site = try Site { _ in
      .page("<div class=error>AADB2C90006: The redirect URI is not registered.</div>", status: 400)
    }
    let error = try #require(await #expect(throws: UserAgentError.self) { try await site.open() })
    #expect(error.kind == .pageFailed)
    #expect(error.status == 400)
    #expect(error.details["aadb2c_code"] == "AADB2C90006")
    #expect(
      error.message == """
        the page "Sign in" at \(site.url)/oauth2/authorize came with status 400: AADB2C90006: The redirect URI is not \
        registered.
        """)
  }

  @Test @HostActor func noPage() async throws {
    let site = try Site { _ in
      ServerResponse(status: 500, text: "{\"error\":\"server_error\"}", type: "application/json")
    }
    let error = await #expect(throws: UserAgentError.self) { try await site.open() }
    #expect(
      error?.message == """
        \(site.url)/oauth2/authorize answered with status 500 and application/json, not with a page: \
        {"error":"server_error"}
        """)
  }

  @Test @HostActor func noPartOfASecretIsInMessages() async throws {
    let secret = "long-secret-" + String(repeating: "0123456789", count: 100)
    Redaction.share(secret)
    let site = try Site { _ in ServerResponse(status: 500, text: "you sent \(secret)", type: "text/plain") }
    let error = await #expect(throws: UserAgentError.self) { try await site.open() }
    #expect(error?.message.hasSuffix(": you sent [secret]") == true)
  }

  @Test @HostActor func endlessRedirects() async throws {
    let site = try Site { _ in .redirect("/loop") }
    let error = await #expect(throws: UserAgentError.self) { try await site.open() }
    #expect(error?.message == "the sign-in was redirected more than 20 times, last to \(site.url)/loop")
    #expect(site.requests.count == 21)
  }

  @Test @HostActor func endlessPages() async throws {
    let site = try Site { _ in
      .page("<p role=alert>Try again</p><form method=post action=/on><input type=hidden name=a value=b></form>")
    }
    let error = await #expect(throws: UserAgentError.self) {
      try await site.open { $0.onPage = { try $0.submit() } }
    }
    #expect(
      error?.message == """
        the sign-in showed more than 20 pages, last \(site.url)/on; the one before says: Try again
        """)
    #expect(site.requests.count == 21)
  }

  /// Each looks like the redirect URI to a careless comparison.
  @Test(arguments: [
    "http://127.0.0.1:9/callback2?code=1", "http://127.0.0.1:9/callback/?code=1",
    "http://127.0.0.1:9@b2c.example/callback",
    "http://b2c.example/?r=http://127.0.0.1:9/callback", "ftp://127.0.0.1:9/callback",
    "com.example.app://callback?code=1",
    "http://127.0.0.1:9.b2c.example/callback", "http://b2c.example\\@127.0.0.1:9/callback",
  ])
  @HostActor func anotherAddressIsNotTheRedirect(target: String) async throws {
    let site = try Site { _ in .redirect(target) }
    await #expect(throws: (any Error).self) { try await site.open() }
    #expect(site.requests.count == 1)
  }

  @Test @HostActor func plainHTTPToAnotherMachine() async throws {
    let site = try Site { _ in .redirect("http://b2c.example/login?secret=1") }
    let error = await #expect(throws: UserAgentError.self) { try await site.open() }
    #expect(
      error?.message == """
        the sign-in leads to http://b2c.example/login, which is neither https, nor on this machine, nor the redirect \
        URI \(Site.redirectURI)
        """)
  }

  @Test @HostActor func takesTooLong() async throws {
    let site = try Site { _ in .redirect("/next") }
    let error = await #expect(throws: UserAgentError.self) { try await site.open { $0.timeout = 0 } }
    #expect(error?.code == "timeout")
    #expect(site.requests.isEmpty)
  }
}
