import Core
import HTTPClient
import HostLoop
import Testing
import UserAgents

/// Tests of the requests that reach the listener for the redirect.
@Suite struct LoopbackListenerTests {
  /// A trip that waits, with a browser that opens nothing.
  @HostActor static func trip(
    _ listener: LoopbackListener, state: String? = "st ate", timeout: Double = 20
  ) async throws -> Task<String, any Error> {
    let announced = CancellableWait<Void>()
    let terminal = TerminalAgent(write: { _ in announced.finish(.success(())) }, readLine: { nil })
    let agent = SystemAgent(listener: listener, terminal: terminal, environment: ["BROWSER": "/bin/true %s"])
    let query = state.map { "&state=\(URLEncodedForm.percentEncode($0))" } ?? ""
    let request = NavigationRequest(
      url: "https://b2c.example/authorize?client_id=x\(query)", redirectURI: listener.redirectURI, timeout: timeout)
    let task = HostActor.task { try await agent.open(request) }
    try await announced.value()
    return task
  }

  @HostActor static func send(
    _ method: String = "GET", _ url: String, headers: HTTPHeaders = [:], form: String? = nil
  ) async throws -> HTTPResponse {
    var headers = headers
    if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
    return try await HTTPClient().send(
      HTTPRequest(
        method: method, url: url, headers: headers, body: form.map { Array($0.utf8) }, timeout: 10,
        followsRedirects: false))
  }

  @Test(arguments: ["http://localhost", "http://localhost:0/cb", "http://127.0.0.1/cb?a=b", "http://[::1]/cb"])
  @HostActor func takesTheRedirect(redirectURI: String) async throws {
    let listener = try LoopbackListener(redirectURI: redirectURI)
    #expect(listener.redirectURI.contains(":\(listener.port)"))
    let trip = try await Self.trip(listener)
    let url = listener.redirectURI + (listener.redirectURI.contains("?") ? "&" : "?") + "code=a%2Bb&state=st%20ate"
    let answer = try await Self.send("GET", url)
    #expect(answer.status == 200)
    #expect(answer.text.contains("<h1>You are signed in</h1>"))
    #expect(!answer.text.contains("a+b") && !answer.text.contains("a%2Bb"))
    #expect(answer.headers["Cache-Control"] == "no-store")
    #expect(answer.headers["Referrer-Policy"] == "no-referrer")
    #expect(answer.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
    #expect(try await trip.value == url)
    // The port is free again.
    let again = try LoopbackListener(redirectURI: listener.redirectURI)
    again.close()
  }

  @Test @HostActor func takesTheRedirectAtThePortThatIsLeftOut() async throws {
    // Who is not root, or has a web server, does not get port 80.
    guard let listener = try? LoopbackListener(redirectURI: "http://localhost:80/cb") else { return }
    let trip = try await Self.trip(listener)
    let answer = try await Self.send("GET", "http://localhost/cb?code=c1&state=st+ate", headers: ["Host": "localhost"])
    #expect(answer.status == 200)
    #expect(try await trip.value == "http://localhost:80/cb?code=c1&state=st+ate")
  }

  @Test @HostActor func whatIsNoneDoesNotCount() async throws {
    let listener = try LoopbackListener(redirectURI: "http://localhost/cb")
    let trip = try await Self.trip(listener)
    let base = "http://localhost:\(listener.port)"
    let good = "\(base)/cb?code=c1&state=st+ate"
    #expect(try await Self.send("GET", "\(base)/favicon.ico").status == 404)
    #expect(try await Self.send("GET", "\(base)/cb/?code=c1&state=st+ate").status == 404)
    #expect(try await Self.send("HEAD", good).status == 200)
    #expect(try await Self.send("PUT", good).status == 405)
    #expect(try await Self.send("GET", good, headers: ["Sec-Purpose": "prefetch;prerender"]).status == 503)
    #expect(try await Self.send("POST", "\(base)/cb", headers: ["Content-Type": "text/plain"]).status == 415)
    #expect(try await Self.send("GET", "\(base)/cb?state=st+ate").status == 400)
    let wrong = try await Self.send("GET", "\(base)/cb?code=c1&state=other")
    #expect(wrong.status == 400)
    #expect(wrong.text.contains("<h1>This sign-in is not waited for</h1>"))
    // Another name for the same machine: a page elsewhere that was made to lead here.
    #expect(try await Self.send("GET", good, headers: ["Host": "evil.example:\(listener.port)"]).status == 400)
    #expect(try await Self.send("GET", "http://127.0.0.1:\(listener.port)/cb?code=c1&state=st+ate").status == 400)
    #expect(try await Self.send("GET", good).status == 200)
    #expect(try await trip.value == good)
  }

  @Test @HostActor func aPostedAnswerComesAsAQuery() async throws {
    let listener = try LoopbackListener(redirectURI: "http://localhost/cb")
    let trip = try await Self.trip(listener)
    let answer = try await Self.send("POST", listener.redirectURI, form: "code=a%2Bb&state=st+ate")
    #expect(answer.text.contains("You are signed in"))
    #expect(try await trip.value == "\(listener.redirectURI)?code=a%2Bb&state=st+ate")
  }

  @Test @HostActor func aFragmentIsPostedByItsPage() async throws {
    let listener = try LoopbackListener(redirectURI: "http://localhost/cb")
    let trip = try await Self.trip(listener)
    let page = try await Self.send("GET", listener.redirectURI)
    #expect(page.status == 200)
    #expect(page.text.contains("new URLSearchParams(location.hash.slice(1))"))
    #expect(page.text.contains("<noscript>"))
    #expect(page.headers["Content-Security-Policy"]?.contains("script-src 'sha256-") == true)
    _ = try await Self.send("POST", listener.redirectURI, form: "id_token=t&state=st+ate")
    #expect(try await trip.value == "\(listener.redirectURI)?id_token=t&state=st+ate")
  }

  @Test @HostActor func anErrorIsShownAsTheProviderSaysIt() async throws {
    let listener = try LoopbackListener(redirectURI: "http://localhost/cb")
    let trip = try await Self.trip(listener)
    let query =
      "error=access_denied&error_description=AADB2C90091%3a+The+user+has+%3Cb%3Ecancelled%3C%2Fb%3E.%0D%0ACorrelation+ID%3a+1&state=st+ate"
    let answer = try await Self.send("GET", "\(listener.redirectURI)?\(query)")
    #expect(answer.text.contains("<h1>The sign-in did not succeed</h1>"))
    #expect(answer.text.contains("<p>AADB2C90091: The user has &lt;b&gt;cancelled&lt;/b&gt;.</p>"))
    #expect(try await trip.value == "\(listener.redirectURI)?\(query)")
  }

  @Test @HostActor func aTakenPortIsNamed() async throws {
    let first = try LoopbackListener()
    let error = #expect(throws: UserAgentError.self) { try LoopbackListener(redirectURI: first.redirectURI) }
    #expect(error?.code == "port_taken")
    #expect(
      error?.description == """
        the browser cannot come back to port \(first.port): another program listens there (end that program (ss -ltnp \
        'sport = :\(first.port)' names it), or set redirectURL to another port or none)
        """)
    first.close()
  }

  @Test(arguments: [
    ("https://jwt.ms", "no browser can come back to this program at the redirect URI https://jwt.ms/"),
    (
      "urn:ietf:wg:oauth:2.0:oob",
      "no browser can come back to this program at the redirect URI urn:ietf:wg:oauth:2.0:oob"
    ),
    (
      "https://localhost:1/",
      "the redirect URI https://localhost:1/ is https, for which browsers would want a certificate of this machine"
    ),
  ])
  @HostActor func otherAddressesCannotBeListenedOn(redirectURI: String, message: String) {
    #expect(!LoopbackListener.canListen(on: redirectURI))
    let error = #expect(throws: UserAgentError.self) { try LoopbackListener(redirectURI: redirectURI) }
    #expect(error?.message == message)
  }

  @Test @HostActor func cancelingFreesThePort() async throws {
    let listener = try LoopbackListener()
    let trip = try await Self.trip(listener)
    trip.cancel()
    await #expect(throws: CancellationError.self) { try await trip.value }
    try LoopbackListener(redirectURI: listener.redirectURI).close()
  }

  @Test @HostActor func nobodyComesBack() async throws {
    let listener = try LoopbackListener(redirectURI: "http://localhost/cb")
    let error = await #expect(throws: UserAgentError.self) { try await Self.trip(listener, timeout: 0.01).value }
    #expect(
      error?.description == """
        the browser did not come back to \(listener.redirectURI) within 0.01 seconds (finish the sign-in in the browser, \
        or give more time: timeout = …)
        """)
    try LoopbackListener(redirectURI: listener.redirectURI).close()
  }
}
