import HTTPClient
import Testing

/// A server may close a connection kept open just when the next request arrives, after acting on it or before: nobody
/// knows which. libcurl then sends it again on a new connection, unless stopped.
@Suite struct RepetitionTests {
  /// Answers the first request of each connection, and hangs up on the second one.
  private func server() throws -> ScriptedServer {
    try ScriptedServer { $0.position == 0 ? .ok() : .sendAndClose("") }
  }

  @Test(
    arguments: [
      ("POST", "Text=Buy+milk"), ("POST", ""), ("POST", nil), ("PUT", "x"), ("PUT", nil), ("PATCH", "x"),
      ("DELETE", "x"),
      ("DELETE", nil), ("FROB", nil),
    ] as [(String, String?)])
  func sendsARequestThatChangesSomethingOnce(method: String, body: String?) async throws {
    let server = try server()
    defer { server.stop() }
    let client = HTTPClient()
    let request = HTTPRequest(method: method, url: server.url + "/?secret", body: body.map { Array($0.utf8) })
    _ = try await client.send(request)
    let error = await failure(of: request, by: client)

    #expect(error?.kind == .connectionLost)
    #expect(error?.mayHaveBeenReceived == true)
    #expect(error?.message == "the connection of \(method) to 127.0.0.1:\(server.port) was lost before an answer")
    #expect(server.requests.count == 2)
  }

  @Test(arguments: ["GET", "HEAD"]) func repeatsARequestThatOnlyReads(method: String) async throws {
    let server = try server()
    defer { server.stop() }
    let client = HTTPClient()
    for _ in 0..<20 { #expect(try await client.send(HTTPRequest(method: method, url: server.url)).status == 200) }
    #expect(server.requests.count == 39)
  }

  @Test func reportsALostAnswerOfANewConnection() async throws {
    let server = try ScriptedServer { _ in .sendAndClose("") }
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(method: "POST", url: server.url, body: [1]))

    #expect(error?.kind == .connectionLost)
    #expect(error?.mayHaveBeenReceived == true)
    #expect(server.requests.count == 1)
  }

  @Test func goesOnAfterAnIdleConnectionWasClosed() async throws {
    let server = try ScriptedServer { _ in .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    defer { server.stop() }
    let client = HTTPClient()
    for _ in 0..<3 {
      // The server hangs up after its answer; a request on that connection fails, or goes out on a new one when the
      // client has noticed. Neither sends it twice.
      _ = try? await client.send(HTTPRequest(method: "POST", url: server.url))
    }
    #expect(server.requests.count <= 3)
  }
}
