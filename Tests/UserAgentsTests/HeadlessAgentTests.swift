import Core
import HTTPServer
import HostLoop
import Testing
import UserAgents

/// Sites that a person could sign in to.
@Suite struct HeadlessAgentTests {
  @Test @HostActor func fillsASignInForm() async throws {
    let site = try Site { request in
      switch (request.method, request.path) {
      case ("GET", "/oauth2/authorize"): return .redirect("/login?tx=1", cookies: ["session=s1; Path=/; HttpOnly"])
      case ("GET", "/login"):
        return .page(
          """
          <form action="submit?step=1" method="post">
            <input type="hidden" name="csrf" value="t&quot;1"><input type="hidden" name="empty">
            <input name="signInName"><input type="password" name="password">
            <input type="checkbox" name="keep" value="yes">
            <button name="action" value="cancel">Cancel</button><button name="action" value="sign-in">Sign in</button>
          </form>
          """)
      case ("POST", "/submit"):
        let isRight =
          request.target == "/submit?step=1" && request.header("Cookie") == "session=s1"
          && request.form.map { "\($0.0)=\($0.1)" } == [
            "csrf=t\"1", "empty=", "signInName=alice", "password=secret word", "action=sign-in",
          ]
        return .redirect(isRight ? "\(Site.redirectURI)?code=c1&state=st%20ate" : "/wrong")
      default: return ServerResponse(status: 404)
      }
    }
    #expect(try await site.open() == "\(Site.redirectURI)?code=c1&state=st%20ate")
    #expect(site.seen == ["GET /oauth2/authorize", "GET /login", "POST /submit"])
    let submitted = try #require(site.requests.last)
    #expect(submitted.header("Origin") == site.url)
    #expect(submitted.header("Referer") == "\(site.url)/login?tx=1")
  }

  @Test @HostActor func askedForNameThenPassword() async throws {
    let site = try Site { request in
      switch request.path {
      case "/oauth2/authorize":
        return .page(
          "<p role=alert>We use cookies.</p><form method=post action=/name><input type=email name=loginfmt><input type=submit></form>"
        )
      case "/name":
        guard request.field("loginfmt") == "alice" else { return .redirect("/wrong") }
        return .page(
          "<p role=alert>We use cookies.</p><form method=post action=/password><input type=password name=passwd></form>"
        )
      case "/password":
        guard request.field("passwd") == "secret word" else { return .redirect("/wrong") }
        return .page(
          "<form method=post action=/go><input type=hidden name=t value=1><noscript><button>Go</button></noscript></form>"
        )
      default: return .redirect("\(Site.redirectURI)?code=c1")
      }
    }
    #expect(try await site.open() == "\(Site.redirectURI)?code=c1")
    #expect(site.seen.last == "POST /go")
  }

  @Test(arguments: [true, false]) @HostActor func formPost(afterSignIn: Bool) async throws {
    let site = try Site { request in
      if afterSignIn, request.method == "GET" {
        return .page("<form method=post><input name=username><input type=password name=password></form>")
      }
      return .page(
        """
        <body onload="document.forms[0].submit()"><form method="post" action="\(Site.redirectURI)">
        <input type="hidden" name="code" value="a+b/c="><input type="hidden" name="state" value="st ate">
        <noscript><button name="go" value="1">Go on</button></noscript></form>
        """)
    }
    #expect(try await site.open() == "\(Site.redirectURI)?code=a%2Bb%2Fc%3D&state=st+ate")
  }

  @Test(arguments: [
    (Site.redirectURI, "http://127.0.0.1:9/callback#code=1&state=2"),
    ("com.example.app://done", "com.example.app://done?error=access_denied"),
    ("urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob?code=1"),
    ("http://127.0.0.1:9", "http://127.0.0.1:9/?code=1"), ("http://LOCALHOST:9/cb", "http://localhost:9/cb?code=1"),
  ])
  @HostActor func theRedirectIsNeverRequested(redirectURI: String, answer: String) async throws {
    let site = try Site { _ in .redirect(answer) }
    #expect(try await site.open(redirectURI: redirectURI) == answer)
    #expect(site.requests.count == 1)
  }

  @Test @HostActor func takesTheRedirectFromAPageThatShowsIt() async throws {
    let site = try Site { _ in
      .page("<p>Almost done</p><a href='/help'>Help</a><a href='urn:ietf:wg:oauth:2.0:oob?code=1&amp;state=2'>Open</a>")
    }
    let redirect = try await site.open(redirectURI: "urn:ietf:wg:oauth:2.0:oob")
    #expect(redirect == "urn:ietf:wg:oauth:2.0:oob?code=1&state=2")
  }

  @Test @HostActor func goesOnByMetaRefreshAndBase() async throws {
    let site = try Site { request in
      switch request.path {
      case "/oauth2/authorize": .page("<meta http-equiv=Refresh content=\"0; URL='/next?a=1'\">Wait")
      case "/next": .page("<base href=/deep/><form action=x><input name=email value=old></form>")
      case "/deep/x" where request.target == "/deep/x?email=alice": .redirect("\(Site.redirectURI)?code=1")
      default: ServerResponse(status: 404)
      }
    }
    #expect(try await site.open() == "\(Site.redirectURI)?code=1")
  }

  @Test @HostActor func submitsMultipartWhereThePageSaysSo() async throws {
    let site = try Site { request in
      if request.method == "GET" {
        return .page(
          "<form method=post enctype=multipart/form-data><input name=user><input type=password name=p></form>")
      }
      let body = String(decoding: request.body, as: UTF8.self)
      let isRight =
        request.mediaType == "multipart/form-data"
        && body.contains("Content-Disposition: form-data; name=\"p\"\r\n\r\nsecret word\r\n--")
      return .redirect(isRight ? "\(Site.redirectURI)?code=1" : "/wrong")
    }
    #expect(try await site.open() == "\(Site.redirectURI)?code=1")
  }

  @Test @HostActor func each307KeepsTheFormOnItsServer() async throws {
    let site = try Site { request in
      switch (request.method, request.path) {
      case ("GET", _): .page("<form method=post><input name=user><input type=password name=p></form>")
      case (_, "/oauth2/authorize"): .redirect("/again", status: 307)
      default: .redirect("\(Site.redirectURI)?code=\(request.field("p") ?? "")")
      }
    }
    #expect(try await site.open(password: "pw") == "\(Site.redirectURI)?code=pw")
    let other = try Site { _ in .page("stolen") }
    let elsewhere = other.url
    let leaky = try Site { request in
      request.method == "GET"
        ? .page("<form method=post><input name=user><input type=password name=p></form>")
        : .redirect("\(elsewhere)/x", status: 307)
    }
    let error = await #expect(throws: UserAgentError.self) { try await leaky.open() }
    #expect(error?.kind == .unsafeRedirect)
    #expect(other.requests.isEmpty)
  }

  @Test @HostActor func everyTripHasItsOwnSession() async throws {
    let site = try Site { request in
      .redirect("\(Site.redirectURI)?code=\(request.header("Cookie") ?? "none")", cookies: ["sso=alice; Path=/"])
    }
    for _ in 0..<2 { #expect(try await site.open() == "\(Site.redirectURI)?code=none") }
  }
}
