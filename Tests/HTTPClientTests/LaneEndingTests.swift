import HTTPClient
import HostLoop
import Testing

/// Prepared POSTs that are not answered, or answered badly.
@HostActor @Suite struct LaneEndingTests {
  private func failure(
    of body: String = "x", to server: ScriptedServer, timeout: Double = 30, maximumBodySize: Int = 100
  ) async throws -> HTTPError? {
    let client = HTTPClient()
    let post = try client.prepare(
      postTo: server.url + "/?secret", headers: [:], timeout: timeout, maximumBodySize: maximumBodySize)
    return await #expect(throws: HTTPError.self) { try await client.send(post, body: Array(body.utf8)) }
  }

  @Test(
    arguments: [
      (
        ScriptedServer.Answer.sendAndClose(""), HTTPError.Kind.connectionLost,
        "the connection of % was lost before an answer"
      ),
      (
        .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .connectionLost,
        "the connection of % was lost before the answer was complete"
      ),
      (
        .sendAndClose("HTTP/1.1 200 OK\r\nContent-Le"), .connectionLost,
        "the connection of % was lost before the answer was complete"
      ),
      (.sendAndClose("220 mail.example.com ESMTP\r\n"), .transfer, "the answer to % is not HTTP"),
      (
        .sendAndClose("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 1 << 20)), .transfer,
        "the answer to % is not HTTP"
      ),
      (.ok(String(repeating: "x", count: 101)), .tooLarge, "the answer to % is larger than 100 bytes"),
      (.silence, .timeout, "% was not answered within 4 seconds"),
    ])
  func anAnswerThatIsNone(answer: ScriptedServer.Answer, kind: HTTPError.Kind, message: String) async throws {
    let server = try ScriptedServer { _ in answer }
    defer { server.stop() }
    let error = try await failure(to: server, timeout: kind == .timeout ? 4 : 30)
    #expect(error?.kind == kind)
    #expect(error?.message == message.replacing("%", with: "POST to 127.0.0.1:\(server.port)"))
    #expect(error?.mayHaveBeenReceived == true)
    #expect(server.requests.count == 1)
  }

  @Test func aTimeLimitThatIsOverAtOnceIsATimeout() async throws {
    let server = try ScriptedServer { _ in .silence }
    defer { server.stop() }
    let client = HTTPClient()
    for timeout in [1e-9, 0.001, 0.01, 0.02] {
      let post = try client.prepare(postTo: server.url, headers: [:], timeout: timeout)
      let error = await #expect(throws: HTTPError.self) { try await client.send(post, body: [1]) }
      #expect(error?.kind == .timeout)
    }
  }

  /// A server may close a connection kept open just when the next request arrives, after acting on it or before.
  @Test func sendsOnceWhenItsConnectionBreaks() async throws {
    let server = try ScriptedServer { $0.position == 0 ? .ok() : .sendAndClose("") }
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    for round in 1...5 {
      _ = try await client.send(post, body: [1])
      let error = await #expect(throws: HTTPError.self) { try await client.send(post, body: [2]) }
      #expect(error?.kind == .connectionLost)
      #expect(error?.mayHaveBeenReceived == true)
      #expect(server.requests.count == 2 * round)
    }
  }

  @Test func aServerThatHangsUpInBetweenIsNoticedOrTold() async throws {
    let server = try ScriptedServer { _ in .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    for _ in 0..<20 { _ = try? await client.send(post, body: [1]) }
    #expect(server.requests.count <= 20)
  }

  @Test func aCanceledTaskEndsItsExchangeAlone() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { request in
      if request.body == "fast" { return .ok() }
      arrival.yield()
      return .silence
    }
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    let slow = HostActor.task {
      await #expect(throws: HTTPError.self) { try await client.send(post, body: Array("slow".utf8)) }
    }
    for await _ in arrivals { break }
    slow.cancel()
    let error = try await slow.value
    #expect(error?.kind == .canceled)
    #expect(error?.message == "POST to 127.0.0.1:\(server.port) was canceled")
    #expect(error?.mayHaveBeenReceived == true)
    #expect(try await client.send(post, body: Array("fast".utf8)).status == 200)
  }

  @Test func aTaskCanceledBeforeSendsNothing() async throws {
    let server = try ScriptedServer { _ in .ok() }
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    let task = HostActor.task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await #expect(throws: HTTPError.self) { try await client.send(post, body: [1]) }
    }
    let error = try await task.value
    #expect(error?.kind == .canceled)
    #expect(error?.mayHaveBeenReceived == false)
    #expect(server.requests.isEmpty)
  }

  @Test func saysWhoDoesNotListen() async throws {
    let client = HTTPClient()
    let post = try client.prepare(postTo: "http://127.0.0.1:1/?code=secret", headers: [:], timeout: 30)
    let error = await #expect(throws: HTTPError.self) { try await client.send(post, body: [1]) }
    #expect(error?.message == "cannot connect to 127.0.0.1:1 (connection refused)")
    #expect(error?.kind == .unreachable)
    #expect(error?.mayHaveBeenReceived == false)
  }
}
