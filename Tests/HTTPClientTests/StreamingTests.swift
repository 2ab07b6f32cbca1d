import HTTPClient
import HostLoop
import Testing

/// Tests of bodies that are read in pieces as they arrive.
@HostActor @Suite struct StreamingTests {
  /// Collects the bytes of a response's body as they arrive.
  @HostActor private final class Taken {
    var bytes: [UInt8] = []
    var limit = Int.max

    func take(_ piece: UnsafeRawBufferPointer) -> Bool {
      bytes.append(contentsOf: piece)
      return bytes.count < limit
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  @Test func aBodyGoesToItsTakerInsteadOfIntoTheResponse() async throws {
    let body = String(repeating: "0123456789", count: 100_000)
    let server = try ScriptedServer { _ in .ok(body, ["X: 1"]) }
    defer { server.stop() }
    let taken = Taken()
    // The limit is for bodies that are kept.
    let request = HTTPRequest(url: server.url, maximumBodySize: 10, onBody: { taken.take($0) })
    let response = try await HTTPClient().send(request)
    #expect(taken.text == body)
    #expect(response.body.isEmpty)
    #expect(response.headers["X"] == "1")
    // The same connection serves a request for the whole body.
    #expect(try await HTTPClient().send(HTTPRequest(url: server.url)).text == body)
    #expect(server.connections == 1)
  }

  @Test func bodiesOfOtherAnswersAreInTheResponse() async throws {
    let server = try ScriptedServer { _ in .ok("no such list", status: "404 Not Found") }
    defer { server.stop() }
    let taken = Taken()
    let response = try await HTTPClient().send(HTTPRequest(url: server.url, onBody: { taken.take($0) }))
    #expect(response.text == "no such list")
    #expect(taken.text == "")
  }

  @Test func aTakerThatHasEnoughEndsTheExchange() async throws {
    let server = try ScriptedServer { _ in .ok(String(repeating: "x", count: 1_000_000)) }
    defer { server.stop() }
    let taken = Taken()
    taken.limit = 1
    let error = await failure(of: HTTPRequest(url: server.url, onBody: { taken.take($0) }))
    #expect(error?.kind == .canceled)
    #expect(taken.bytes.count < 1_000_000)
  }

  @Test func aBodyThatIsCutOffIsAnError() async throws {
    let server = try ScriptedServer { _ in .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") }
    defer { server.stop() }
    let taken = Taken()
    let error = await failure(of: HTTPRequest(url: server.url, onBody: { taken.take($0) }))
    #expect(error?.kind == .connectionLost)
    #expect(taken.text == "half")
  }

  @Test func aBodyThatStopsIsATimeout() async throws {
    let server = try ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") }
    defer { server.stop() }
    let taken = Taken()
    let error = await failure(of: HTTPRequest(url: server.url, timeout: 10, onBody: { taken.take($0) }))
    #expect(error?.kind == .timeout)
    #expect(
      error?.message == "the answer to GET to 127.0.0.1:\(server.port) stopped: nothing came for 10 seconds")
    #expect(taken.text == "half")
  }
}
