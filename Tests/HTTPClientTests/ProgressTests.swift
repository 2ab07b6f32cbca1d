import HTTPClient
import HostLoop
import Testing

/// Tests of the progress of an exchange.
@HostActor @Suite struct ProgressTests {
  @HostActor private final class Seen {
    var steps: [HTTPProgress] = []
  }

  @Test func bothBodiesAreCounted() async throws {
    let answer = String(repeating: "0123456789", count: 100_000)
    let server = try ScriptedServer { _ in .ok(answer) }
    defer { server.stop() }
    let seen = Seen()
    let body = [UInt8](repeating: 0x78, count: 3_000_000)
    let request = HTTPRequest(method: "POST", url: server.url, body: body, onProgress: { seen.steps.append($0) })
    _ = try await HTTPClient().send(request)
    let end = try #require(seen.steps.last)
    #expect((end.sent, end.toSend) == (3_000_000, 3_000_000))
    #expect((end.received, end.toReceive ?? -1) == (1_000_000, 1_000_000))
    // More than the end, and never backwards.
    #expect(seen.steps.count > 2)
    for (step, next) in zip(seen.steps, seen.steps.dropFirst()) {
      #expect(step.sent <= next.sent && step.received <= next.received && step != next)
    }
  }

  @Test func aPreparedPostTellsItToo() async throws {
    let server = try ScriptedServer { _ in .ok("{}") }
    defer { server.stop() }
    let seen = Seen()
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30, onProgress: { seen.steps.append($0) })
    _ = try await client.send(post, body: Array("Text=Milk".utf8))
    let end = try #require(seen.steps.last)
    #expect((end.sent, end.toSend, end.received, end.toReceive ?? -1) == (9, 9, 2, 2))
  }

  @Test func nobodyIsToldOfTheNextRequestOfTheSameHandle() async throws {
    let server = try ScriptedServer { _ in .ok("{}") }
    defer { server.stop() }
    let seen = Seen()
    _ = try await HTTPClient().send(HTTPRequest(url: server.url, onProgress: { seen.steps.append($0) }))
    let count = seen.steps.count
    #expect(count > 0)
    _ = try await HTTPClient().send(HTTPRequest(url: server.url))
    #expect(seen.steps.count == count)
  }
}
