import HTTPClient
import HostLoop
import Testing

/// Exchanges ended by their caller.
@Suite struct EndingTests {
  @Test func endsAfterTheTimeout() async throws {
    let server = try ScriptedServer { _ in .silence }
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(method: "POST", url: server.url, timeout: 10))
    #expect(error?.kind == .timeout)
    #expect(error?.mayHaveBeenReceived == true)
    #expect(error?.message == "POST to 127.0.0.1:\(server.port) was not answered within 10 seconds")
  }

  @Test func countsRedirectsTowardTheTimeout() async throws {
    let server = try ScriptedServer { $0.target == "/" ? .redirect(302, "/silent") : .silence }
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(url: server.url, timeout: 5))
    #expect(error?.kind == .timeout)
    #expect(error?.message == "GET to 127.0.0.1:\(server.port) was not answered within 5 seconds")
  }

  @Test func aCanceledTaskEndsItsExchangeAlone() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { request in
      if request.target == "/fast" { return .ok() }
      arrival.yield()
      return .silence
    }
    defer { server.stop() }
    let client = HTTPClient()
    let url = server.url
    let slow = HostActor.task {
      await failure(of: HTTPRequest(method: "POST", url: url + "/slow"), by: client)
    }
    for await _ in arrivals { break }
    slow.cancel()
    let error = try await slow.value

    #expect(error?.kind == .canceled)
    #expect(error?.message == "POST to 127.0.0.1:\(server.port) was canceled")
    #expect(error?.mayHaveBeenReceived == true)
    #expect(try await client.send(HTTPRequest(url: url + "/fast")).status == 200)
  }

  @Test func aTaskCanceledBeforeSendsNothing() async throws {
    let server = try ScriptedServer { _ in .ok() }
    defer { server.stop() }
    let url = server.url
    let task = HostActor.task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure(of: HTTPRequest(url: url))
    }
    let error = try await task.value
    #expect(error?.kind == .canceled)
    #expect(error?.mayHaveBeenReceived == false)
    #expect(server.requests.isEmpty)
  }

  @Test func manyCancellationsLeaveTheOthersAlone() async throws {
    let server = try ScriptedServer { $0.target == "/silent" ? .silence : .ok("x") }
    defer { server.stop() }
    let client = HTTPClient()
    let url = server.url
    for _ in 0..<5 {
      let silent = (0..<8).map { _ in
        HostActor.task { await failure(of: HTTPRequest(url: url + "/silent"), by: client) }
      }
      let answered = (0..<8).map { _ in HostActor.task { try await client.send(HTTPRequest(url: url)).text } }
      for task in silent { task.cancel() }
      for task in answered { #expect(try await task.value == "x") }
      for task in silent { #expect(try await task.value?.kind == .canceled) }
    }
  }
}
