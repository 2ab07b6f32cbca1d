import Glibc
import HTTPServer
import Testing

/// Connections that would take the server for themselves.
@Suite struct ConnectionTests {
  private static func echo(_ request: ServerRequest) -> ServerResponse {
    ServerResponse(text: "\(request.path) \(request.body.count)", type: "text/plain")
  }

  /// Each ends, whatever the client does: `readToEnd` returns when the server has closed.
  @Test(arguments: [
    "G", "GET / HTTP/1.1\r\nHost: a\r\nX: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
  ])
  func aRequestThatDoesNotEndIsEnded(beginning: String) throws {
    let server = try HTTPServer(requestTime: 0.2, handler: Self.echo)
    let connection = try RawConnection(port: server.port)
    connection.send(beginning)
    #expect(connection.readToEnd() == "")
  }

  @Test func neitherDoesTheSecondRequestOfAConnection() throws {
    let server = try HTTPServer(requestTime: 0.2, handler: Self.echo)
    let connection = try RawConnection(port: server.port)
    connection.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
    // It drips until the server has had enough.
    while connection.isOpen {
      connection.send("X")
      usleep(20_000)
    }
    #expect(connection.readToEnd().hasSuffix("/first 0"))
  }

  @Test func whoSaysNothingIsNotEndedForThat() throws {
    let server = try HTTPServer(requestTime: 0.05, handler: Self.echo)
    let connection = try RawConnection(port: server.port)
    usleep(300_000)
    connection.send("GET /late HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(connection.readToEnd().hasSuffix("/late 0"))
  }

  @Test func anAnswerMayTakeLonger() throws {
    let server = try HTTPServer(requestTime: 0.05) { request in
      var response = Self.echo(request)
      response.delay = 0.4
      return response
    }
    #expect(try exchange(server.port, "GET /slow HTTP/1.1\nHost: a\nConnection: close\n\n").hasSuffix("/slow 0"))
  }

  /// More than there may be: the oldest make room, and who comes is answered.
  @Test func manyIdleConnectionsKeepNobodyOut() throws {
    let server = try HTTPServer(handler: Self.echo)
    var descriptors = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
    // Both ends are this process's.
    guard descriptors.rlim_cur > 2500 else { return }
    var connections: [RawConnection] = []
    for _ in 0..<1100 { connections.append(try RawConnection(port: server.port)) }
    #expect(try exchange(server.port, "GET /now HTTP/1.1\nHost: a\nConnection: close\n\n").hasSuffix("/now 0"))
    #expect(connections[0].readToEnd() == "")
  }
}
