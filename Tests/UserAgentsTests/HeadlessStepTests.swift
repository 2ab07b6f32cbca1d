import Core
import HTTPServer
import HostLoop
import Testing
import UserAgents

/// Pages beside the password: one-time codes, choices, links, and trips that end without a redirect.
@Suite struct HeadlessStepTests {
  static let password =
    "<form method=post action=/password><input name=username><input type=password name=password></form>"

  static func code(_ field: String, alert: String = "") -> String {
    "\(alert)<form method=post action=/code><label>Code \(field)</label><button name=a value=resend>Send again</button>"
      + "<button name=a value=verify>Verify</button></form>"
  }

  static func site(_ field: String, reply: String = "") throws -> Site {
    try Site { request in
      switch request.path {
      case "/oauth2/authorize": .page(password)
      case "/password": .page(code(field))
      case _ where request.form.contains { $0.1 == "123456" } && request.field("a") == "verify":
        .redirect("\(Site.redirectURI)?code=1")
      default: .page(code(field, alert: reply))
      }
    }
  }

  @Test(arguments: [
    "<input name=verificationCode>", "<input name=x1 autocomplete='section-a one-time-code' inputmode=numeric>",
    "<input name=OTP type=tel>", "<input name=pin id=totp type=number>", "<input name=code type=password>",
  ])
  @HostActor func fillsInAOneTimeCode(field: String) async throws {
    let site = try Self.site(field)
    var asked = 0
    let redirect = try await site.open {
      $0.otp = {
        asked += 1
        return "123456"
      }
    }
    #expect(redirect == "\(Site.redirectURI)?code=1")
    #expect(asked == 1)
  }

  @Test(arguments: [
    ("<p role=alert>That code is not right.</p>", "That code is not right."), ("", "it asks for the code again"),
  ])
  @HostActor func aWrongCode(reply: String, reason: String) async throws {
    let site = try Self.site("<input name=code>", reply: reply)
    let error = await #expect(throws: UserAgentError.self) { try await site.open { $0.otp = { "000000" } } }
    #expect(error?.code == "sign_in_rejected")
    #expect(error?.message == "the page \"Sign in\" refused the sign-in: \(reason)")
    #expect(error?.hint == "check the one-time code, and the clock it is made with")
  }

  @Test @HostActor func noCodeWasGiven() async throws {
    let site = try Self.site("<input name=code>")
    let error = await #expect(throws: UserAgentError.self) { try await site.open() }
    #expect(
      error?.message == "the page \"Sign in\" at \(site.url)/password asks for a one-time code, and none was given")
    #expect(error?.hint == "give otp = …, or fill the page in on_page")
  }

  @Test(
    arguments: [
      (nil, "first"), ("alice", "alice"), ("bob", "another"),
    ] as [(String?, String)])
  @HostActor func choosesAnAccount(username: String?, expected: String) async throws {
    let buttons =
      username == nil
      ? "<button name=a value=first>Go on as Alice</button><button name=a value=another>Use another account</button>"
      : "<button name=a value=carol>carol</button><button name=a value=alice>alice</button>"
        + "<button name=a value=another>Use another account</button>"
    let site = try Site { request in
      request.method == "GET"
        ? .page("<form method=post>\(buttons)<button name=a value=cancel>Cancel</button></form>")
        : .redirect("\(Site.redirectURI)?code=\(request.field("a") ?? "")")
    }
    #expect(try await site.open(username: username) == "\(Site.redirectURI)?code=\(expected)")
  }

  @Test @HostActor func confirmsAndEndsWithoutARedirect() async throws {
    let site = try Site { request in
      switch (request.path, request.form.map { "\($0.0)=\($0.1)" }.joined(separator: "&")) {
      case ("/oauth2/authorize", _):
        .page(
          "<form method=post action=/device><input name=user_code value=''><button name=a value=next>Next</button></form>"
        )
      case ("/device", "user_code=BCDF-GHJK&a=next"): .page(Self.password)
      case ("/password", _):
        .page(
          "<form method=post action=/confirm><input type=hidden name=t value=1><button name=a value=cancel>Cancel</button>"
            + "<button name=a value=continue>Continue</button></form>")
      case ("/confirm", "t=1&a=continue"): .page("<p>You are signed in; go back to your device.</p>")
      default: .page("<p role=alert>wrong</p>", status: 400)
      }
    }
    let end = try await site.open {
      $0.redirectURI = nil
      $0.code = "BCDF-GHJK"
    }
    #expect(end == "\(site.url)/confirm")
  }

  @Test(arguments: ["Forgot your password?", "forgot your PASSWORD?", "/reset?tx=1", "forgot"])
  @HostActor func followsALink(link: String) async throws {
    let site = try Site { request in
      request.path == "/reset"
        ? .redirect("\(Site.redirectURI)?error=access_denied")
        : .page(
          "\(Self.password)<a id=forgot href='/reset?tx=1'>Forgot your password?</a><a href='javascript:x()'>No</a>")
    }
    var links: [PageLink] = []
    let redirect = try await site.open {
      $0.onPage = { page in
        links = page.links
        try page.follow(link)
      }
    }
    #expect(redirect == "\(Site.redirectURI)?error=access_denied")
    #expect(links.map(\.url) == ["\(site.url)/reset?tx=1"])
    #expect(links.map(\.text) == ["Forgot your password?"])
    #expect(links.map(\.id) == ["forgot"])
    let error = await #expect(throws: UserAgentError.self) {
      try await site.open { $0.onPage = { try $0.follow("Forgot your pasword?") } }
    }
    #expect(
      error?.message == "the page \"Sign in\" at \(site.url)/oauth2/authorize has no link \"Forgot your pasword?\"")
    #expect(error?.hint == "did you mean \"Forgot your password?\"?")
  }

  @Test(arguments: [
    "<noscript>Please turn on JavaScript.</noscript><div id=api></div>",
    "<script>var SETTINGS = {\"csrf\":\"x\",\"transId\":\"StateProperties=y\"};</script>\(password)",
    "<form action='JavaScript:void(0);'><input name=username><input type=password name=password></form>",
    "<div id=root></div><script src=/app.js></script><script>start()</script>",
  ])
  @HostActor func aPageThatNeedsScripts(html: String) async throws {
    let site = try Site { _ in .page(html) }
    let error = await #expect(throws: UserAgentError.self) { try await site.open() }
    #expect(error?.code == "page_not_understood")
    #expect(
      error?.message
        == "the page \"Sign in\" at \(site.url)/oauth2/authorize works with scripts only, which the headless agent does not run"
    )
    #expect(error?.hint == "it needs a browser: use the agent \"system\"")
  }
}
