import HTTPClient
import HTTPServer
import HostLoop
import Testing

/// POSTs made ready once, which do not go through libcurl's own transfers: they promise the same as any other request.
@HostActor @Suite struct LaneTests {
  @Test func aRequestSaysTheSameEitherWay() async throws {
    let server = try ScriptedServer { .ok("you said \($0.body)", ["X-Color: red"], status: "201 Created") }
    defer { server.stop() }
    let client = HTTPClient()
    let headers: HTTPHeaders = ["Content-Type": "text/plain", "Authorization": "Bearer t"]
    let field = HTTPHeaders.Field(name: "Idempotency-Key", value: "row-1")
    let post = try client.prepare(postTo: server.url + "/ä?c=d#e", headers: headers, timeout: 30)
    let response = try await client.send(post, body: Array("hello".utf8), fields: [field])
    var request = HTTPRequest(
      method: "POST", url: server.url + "/ä?c=d#e", headers: headers, body: Array("hello".utf8))
    request.headers.append(field.name, field.value)
    let other = try await client.send(request)

    #expect(response.status == 201)
    #expect(response.text == "you said hello")
    #expect(response.headers["x-color"] == "red")
    #expect(response.headers["X-Colo"] == nil)
    #expect(response.headers == other.headers)
    #expect(response.url == other.url)
    let seen = server.requests
    #expect(seen[0].method == "POST")
    #expect(seen[0].target == "/%c3%a4?c=d")
    #expect(seen[0].target == seen[1].target)
    #expect(seen[0].header("idempotency-key") == "row-1")
    #expect(Dictionary(seen[0].headers) { $1 } == Dictionary(seen[1].headers) { $1 })
  }

  @Test func manyRequestsUseAFewConnections() async throws {
    let server = try ScriptedServer { .ok(String($0.body.reversed())) }
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    let tasks = (0..<64).map { worker in
      HostActor.task {
        for number in 0..<20 {
          let body = "\(worker)-\(number)"
          let response = try await client.send(post, body: Array(body.utf8))
          #expect(response.text == String(body.reversed()))
        }
      }
    }
    for task in tasks { try await task.value }
    #expect(Set(server.requests.map(\.body)).count == 64 * 20)
    #expect(server.requests.count == 64 * 20)
    #expect(server.connections <= 64)
  }

  @Test(
    arguments: [
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: 1\r\n\r\n", "abcde"),
      ("HTTP/1.1 103 Early Hints\r\nX-Late: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", "x"),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", ""),
      ("HTTP/1.1 103 Early Hints\n\nHTTP/1.1 100\n\nHTTP/1.1 200 OK\nContent-Length: 1\n\nx", "x"),
      ("HTTP/1.1 200 OK\nContent-Length: 2\n\nab", "ab"),
    ])
  func anAnswerKeepsItsConnection(answer: String, body: String) async throws {
    let server = try ScriptedServer { _ in .send(answer) }
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    for _ in 0..<3 {
      let response = try await client.send(post, body: [1])
      #expect(response.text == body)
      #expect(response.headers["X-Late"] == nil)
    }
    #expect(server.connections == 1)
    #expect(server.requests.count == 3)
  }

  @Test(
    arguments: [
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.1 200 OK\r\n\r\nx",
      "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
    ])
  func anAnswerEndsItsConnection(answer: String) async throws {
    let server = try ScriptedServer { _ in .sendAndClose(answer) }
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    for _ in 0..<3 { #expect(try await client.send(post, body: [1]).text == "x") }
    #expect(server.connections == 3)
  }

  @Test func carriesLargeBodiesBothWays() async throws {
    let server = try ScriptedServer { .ok($0.body) }
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    let body = [UInt8](repeating: 97, count: 20 << 20)
    #expect(try await client.send(post, body: body).body == body)
    #expect(try await client.send(post, body: [98]).text == "b")
    #expect(server.connections == 1)
  }

  @Test func carriesLargeBodiesOverTLS() async throws {
    let identity = try TLSIdentity.selfSigned(hosts: ["localhost"])
    let server = try HTTPServer(tls: identity) { ServerResponse(status: 200, headers: [], body: $0.body) }
    defer { server.stop() }
    let file = try TemporaryFile(identity.certificate)
    let client = HTTPClient(HTTPClientConfiguration(caFile: file.path))
    let post = try client.prepare(postTo: "https://localhost:\(server.port)/", headers: [:], timeout: 30)
    let body = [UInt8](repeating: 97, count: 500_000)
    for _ in 0..<3 {
      #expect(try await client.send(post, body: body).body == body)
      #expect(try await client.send(post, body: [98]).text == "b")
    }
    // Clients share connections, but not their trusted certificates.
    let other = HTTPClient()
    let untrusted = try other.prepare(postTo: "https://localhost:\(server.port)/", headers: [:], timeout: 30)
    let error = await #expect(throws: HTTPError.self) { try await other.send(untrusted, body: [1]) }
    #expect(error?.kind == .tls)
    #expect(error?.mayHaveBeenReceived == false)
  }

  @Test func aFieldThatWouldSayMoreIsRefused() async throws {
    let server = try ScriptedServer { _ in .ok() }
    defer { server.stop() }
    let client = HTTPClient()
    #expect(throws: HTTPError.self) {
      try client.prepare(postTo: server.url, headers: ["X-A": "b\r\nX-Evil: 1"], timeout: 30)
    }
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    let field = HTTPHeaders.Field(name: "X-A", value: "b\r\nX-Evil: 1")
    let error = await #expect(throws: HTTPError.self) { try await client.send(post, body: [1], fields: [field]) }
    #expect(error?.message == "the value of the header field X-A holds a line break")
    #expect(server.requests.isEmpty)
  }
}
