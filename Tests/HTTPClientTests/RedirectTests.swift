import HTTPClient
import Testing

@Suite struct RedirectTests {
  private let credentials: HTTPHeaders = ["Authorization": "Bearer t", "Cookie": "a=b", "X-Other": "stays"]

  @Test(arguments: [301, 302, 303, 307, 308]) func keepsCredentialsWithinAnOrigin(status: Int) async throws {
    let server = try ScriptedServer { $0.target == "/a/b" ? .redirect(status, "../c?d#e") : .ok("there") }
    defer { server.stop() }
    let response = try await HTTPClient().send(HTTPRequest(url: server.url + "/a/b", headers: credentials))

    #expect(response.text == "there")
    #expect(response.url == server.url + "/c?d#e")
    #expect(server.requests.map(\.target) == ["/a/b", "/c?d"])
    #expect(server.requests.last?.header("authorization") == "Bearer t")
    #expect(server.requests.last?.header("cookie") == "a=b")
    #expect(server.connections == 1)
  }

  @Test func dropsCredentialsForAnotherOriginAndForGood() async throws {
    // The other port sends the request back, which must not bring the token back.
    let first = try ScriptedServer { $0.target == "/back" ? .ok() : .redirect(302, String($0.target.dropFirst())) }
    defer { first.stop() }
    let back = first.url + "/back"
    let second = try ScriptedServer { _ in .redirect(302, back) }
    defer { second.stop() }
    let response = try await HTTPClient().send(HTTPRequest(url: "\(first.url)/\(second.url)", headers: credentials))

    #expect(response.url == back)
    for request in second.requests + first.requests.dropFirst() {
      #expect(request.header("authorization") == nil)
      #expect(request.header("cookie") == nil)
      #expect(request.header("x-other") == "stays")
    }
    #expect(first.requests.count == 2 && second.requests.count == 1)
  }

  @Test func dropsCredentialsForAnotherNameOfTheHost() async throws {
    let server = try ScriptedServer { request in
      request.target == "/"
        ? .redirect(307, "http://localhost:\(request.header("host")?.split(separator: ":").last ?? "")/x") : .ok()
    }
    defer { server.stop() }
    _ = try await HTTPClient().send(HTTPRequest(url: server.url, headers: credentials))
    #expect(server.requests.last?.target == "/x")
    #expect(server.requests.last?.header("authorization") == nil)
  }

  @Test(
    arguments: [
      (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
      (301, "PUT", "PUT"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (303, "HEAD", "HEAD"),
    ])
  func changesTheMethodAsEveryoneDoes(status: Int, method: String, expected: String) async throws {
    let server = try ScriptedServer { $0.target == "/" ? .redirect(status, "/next") : .send("HTTP/1.1 204 No\r\n\r\n") }
    defer { server.stop() }
    _ = try await HTTPClient().send(
      HTTPRequest(
        method: method, url: server.url, headers: ["Content-Type": "text/plain"], body: method == "HEAD" ? nil : [65]))

    let last = try #require(server.requests.last)
    #expect(last.target == "/next")
    #expect(last.method == expected)
    #expect(last.body == (expected == method && method != "HEAD" ? "A" : ""))
    #expect((last.header("content-type") == nil) == (expected != method && method != "HEAD"))
  }

  @Test func stopsAfterTen() async throws {
    let server = try ScriptedServer { _ in .redirect(302, "/again") }
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(url: server.url))

    #expect(error?.kind == .tooManyRedirects)
    #expect(error?.message == "GET to 127.0.0.1:\(server.port) was redirected more than 10 times")
    #expect(server.requests.count == 11)
  }

  @Test(arguments: [
    "ftp://127.0.0.1/x?y", "file:///etc/passwd?y", "com.example.app://signed-in?y", "http://?y", "//:99999/?y",
  ])
  func leavesTheWebForNobody(location: String) async throws {
    let server = try ScriptedServer { _ in .redirect(302, location) }
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(url: server.url))

    let shown = location.prefix { $0 != "?" }
    #expect(error?.kind == .invalidURL)
    #expect(
      error?.message
        == "GET to 127.0.0.1:\(server.port) redirects to \"\(shown)\", which is not an http or https address")
  }

  @Test func leavesRedirectsToCallersWhoAskForThat() async throws {
    let server = try ScriptedServer { _ in .redirect(302, "com.example.app://signed-in?code=1") }
    defer { server.stop() }
    let response = try await HTTPClient().send(HTTPRequest(url: server.url, followsRedirects: false))
    #expect(response.status == 302)
    #expect(response.headers["location"] == "com.example.app://signed-in?code=1")
  }
}
