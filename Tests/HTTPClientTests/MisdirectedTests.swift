import HTTPClient
import HostLoop
import Testing

/// The server of an answer 421 does not answer for that address on this connection (RFC 9110, 15.5.20).
@HostActor
@Suite struct MisdirectedTests {
  /// Answers 421 to the second request of the first connection.
  private func server() throws -> ScriptedServer {
    try ScriptedServer {
      $0.connection == 0 && $0.position == 1 ? .ok("", status: "421 Misdirected Request") : .ok("\($0.connection)")
    }
  }

  @Test(arguments: ["GET", "POST"]) func nextRequestOpensANewConnection(method: String) async throws {
    let server = try server()
    defer { server.stop() }
    let client = HTTPClient()
    var statuses: [Int] = []
    for _ in 0..<3 {
      statuses.append(try await client.send(HTTPRequest(method: method, url: server.url)).status)
    }
    #expect(statuses == [200, 421, 200])
    #expect(server.requests.map(\.connection) == [0, 0, 1])
  }

  @Test func nextPreparedPostOpensANewConnection() async throws {
    let server = try server()
    defer { server.stop() }
    let client = HTTPClient()
    let post = try client.prepare(postTo: server.url, headers: [:], timeout: 30)
    var statuses: [Int] = []
    for _ in 0..<4 { statuses.append(try await client.send(post, body: [1]).status) }
    #expect(statuses == [200, 421, 200, 200])
    #expect(server.requests.map(\.connection) == [0, 0, 1, 1])
  }

  /// A request to another server in between uses its own connection, open or new.
  @Test func requestsToOtherServersKeepTheirConnections() async throws {
    let (server, other) = (try server(), try ScriptedServer { _ in .ok() })
    defer {
      server.stop()
      other.stop()
    }
    let client = HTTPClient()
    for url in [other.url, server.url, server.url, other.url, server.url, other.url] {
      _ = try await client.send(HTTPRequest(url: url))
    }
    #expect(server.requests.map(\.connection) == [0, 0, 1])
    #expect(other.requests.map(\.connection) == [0, 0, 0])
  }
}
