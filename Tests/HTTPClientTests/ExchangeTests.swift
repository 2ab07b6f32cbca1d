import HTTPClient
import HostLoop
import Testing

@Suite struct ExchangeTests {
  @Test func sendsAndReceives() async throws {
    let server = try ScriptedServer { request in
      .ok("you said \(request.body)", ["X-Color: red", "x-color: blue"], status: "201 Created")
    }
    defer { server.stop() }
    let response = try await HTTPClient().send(
      HTTPRequest(
        method: "POST", url: server.url + "/a?b=c", headers: ["Content-Type": "text/plain", "X-Empty": ""],
        body: Array("hello".utf8)))

    #expect(response.status == 201)
    #expect(response.text == "you said hello")
    #expect(response.headers["X-COLOR"] == "red")
    #expect(response.headers.all("x-color") == ["red", "blue"])
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.target == "/a?b=c")
    #expect(request.header("content-type") == "text/plain")
    #expect(request.header("x-empty") == "")
    #expect(request.header("user-agent") == "b2c-run")
  }

  @Test func usesOneConnectionForRequestsInSequence() async throws {
    let server = try ScriptedServer { _ in .ok("x") }
    defer { server.stop() }
    let client = HTTPClient()
    for _ in 0..<20 { _ = try await client.send(HTTPRequest(url: server.url)) }

    #expect(server.requests.count == 20)
    #expect(server.connections == 1)
  }
}
