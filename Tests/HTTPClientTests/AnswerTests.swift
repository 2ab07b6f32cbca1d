import HTTPClient
import HostLoop
import Testing

/// Answers as servers give them, good and bad.
@Suite struct AnswerTests {
  @Test func readsAChunkedAnswerAndPassesOverItsTrailers() async throws {
    let server = try ScriptedServer { _ in
      .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: 1\r\n\r\n")
    }
    defer { server.stop() }
    let response = try await HTTPClient().send(HTTPRequest(url: server.url))
    #expect(response.text == "abcde")
    #expect(response.headers["X-Late"] == nil)
  }

  @Test func keepsOnlyTheFinalHead() async throws {
    let server = try ScriptedServer { _ in
      .send(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\nX:   spaced \r\n\r\nx")
    }
    defer { server.stop() }
    let response = try await HTTPClient().send(HTTPRequest(url: server.url))
    #expect(response.headers == ["Content-Length": "1", "X": "spaced"])
  }

  @Test func reportsATruncatedBody() async throws {
    let server = try ScriptedServer { _ in .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") }
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(method: "POST", url: server.url))
    #expect(error?.kind == .connectionLost)
    #expect(error?.mayHaveBeenReceived == true)
    #expect(
      error?.message
        == "the connection of POST to 127.0.0.1:\(server.port) was lost before the answer was complete")
  }

  @Test func reportsWhatIsNoHTTP() async throws {
    let server = try ScriptedServer { _ in .sendAndClose("220 mail.example.com ESMTP\r\n") }
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(url: server.url))
    #expect(error?.kind == .transfer)
    #expect(error?.message == "the answer to GET to 127.0.0.1:\(server.port) is not HTTP")
  }

  @Test(arguments: [true, false]) func refusesABodyLargerThanAllowed(isAnnounced: Bool) async throws {
    let server = try ScriptedServer { _ in
      .sendAndClose("HTTP/1.1 200 OK\r\n" + (isAnnounced ? "Content-Length: 11\r\n" : "") + "\r\n0123456789a")
    }
    defer { server.stop() }
    var request = HTTPRequest(url: server.url, maximumBodySize: 11)
    #expect(try await HTTPClient().send(request).body.count == 11)
    request.maximumBodySize = 10
    let error = await failure(of: request)
    #expect(error?.kind == .tooLarge)
    #expect(error?.message == "the answer to GET to 127.0.0.1:\(server.port) is larger than 10 bytes")
  }

  @Test func refusesAnEndlessHead() async throws {
    let server = try ScriptedServer { _ in
      .sendAndClose(
        "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "x", count: 5000))\r\n", count: 300))
    }
    defer { server.stop() }
    #expect(await failure(of: HTTPRequest(url: server.url)) != nil)
  }

  @Test func refusesAHeadOfManyFields() async throws {
    let fields = { @Sendable (count: Int) in (0..<count).map { "X-\($0): y\r\n" }.joined() }
    let server = try ScriptedServer { request in
      .sendAndClose(
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(fields(request.target == "/many" ? 1000 : 999))\r\n")
    }
    defer { server.stop() }
    #expect(try await HTTPClient().send(HTTPRequest(url: server.url)).headers.fields.count == 1000)
    let error = await failure(of: HTTPRequest(url: "\(server.url)/many"))
    #expect(error?.kind == .tooLarge)
    #expect(error?.message.hasSuffix("has more than 1000 header fields, or more than 1 MiB of them") == true)
  }

  @Test func carriesLargeBodiesBothWays() async throws {
    let server = try ScriptedServer { .ok($0.body) }
    defer { server.stop() }
    let body = [UInt8](repeating: 97, count: 3 << 20)
    let response = try await HTTPClient().send(HTTPRequest(method: "POST", url: server.url, body: body))
    #expect(response.body == body)
    #expect(server.requests.first?.header("expect") == nil)
    #expect(server.requests.first?.header("content-type") == nil)
  }

  @Test func keepsManyInFlight() async throws {
    let server = try ScriptedServer { .ok(String($0.body.reversed())) }
    defer { server.stop() }
    let client = HTTPClient()
    let url = server.url
    let tasks = (0..<64).map { worker in
      HostActor.task {
        for number in 0..<20 {
          let body = "\(worker)-\(number)"
          let response = try await client.send(HTTPRequest(method: "POST", url: url, body: Array(body.utf8)))
          #expect(response.text == String(body.reversed()))
        }
      }
    }
    for task in tasks { try await task.value }
    #expect(server.requests.count == 64 * 20)
    #expect(Set(server.requests.map(\.body)).count == 64 * 20)
    #expect(server.connections <= 64)
  }
}
