import Core
import HTTPServer
import Synchronization
import Testing

@Suite struct HTTPServerTests {
  /// Answers with what it understood of the request.
  private static func echo(_ request: ServerRequest) -> ServerResponse {
    let fields = (request.query + request.form).map { "\($0.0)=\($0.1);" }.joined()
    return ServerResponse(
      headers: [("X-Agent", request.header("user-agent") ?? "none")],
      text: "\(request.method) \(request.path) [\(request.target)] \(fields) \(request.body.count)", type: "text/plain")
  }

  @Test(arguments: [false, true]) func answersOnBothLoopbackAddresses(ipv6: Bool) throws {
    let server = try HTTPServer(handler: Self.echo)
    let answer = try exchange(
      server.port, "GET /a%20b/%C3%A4?x=1+2&y=%26&x=3 HTTP/1.1\nHost: a\nUser-Agent: t\nConnection: close\n\n",
      ipv6: ipv6)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("X-Agent: t\r\n"))
    #expect(answer.hasSuffix("GET /a b/ä [/a%20b/%C3%A4?x=1+2&y=%26&x=3] x=1 2;y=&;x=3; 0"))
  }

  @Test(arguments: [ServerResponse.Drop?.none, .beforeResponse, .midResponse])
  func tellsOnceThatAnAnswerIsOver(drop: ServerResponse.Drop?) throws {
    let told = Mutex<[String]>([])
    let server = try HTTPServer { request in
      var response = Self.echo(request)
      response.drop = drop
      response.whenSent = { told.withLock { $0.append(request.path) } }
      return response
    }
    for path in ["/a", "/b"] {
      _ = try exchange(server.port, "GET \(path) HTTP/1.1\nHost: a\nConnection: close\n\n")
    }
    server.stop()
    #expect(told.withLock { $0 } == ["/a", "/b"])
  }

  @Test func readsAFormThatComesInPieces() throws {
    let server = try HTTPServer(handler: Self.echo)
    let connection = try RawConnection(port: server.port)
    connection.send("POST /f HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 11\r\n")
    connection.send("Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n\r\nText=")
    connection.send("Milk+%")
    #expect(connection.readToEnd().hasSuffix("POST /f [/f] Text=Milk %; 11"))
  }

  @Test func refusesABodyOverTheLimit() throws {
    let calls = Mutex(0)
    let server = try HTTPServer(bodyLimit: 10) { request in
      calls.withLock { $0 += 1 }
      return Self.echo(request)
    }
    let announced = "POST / HTTP/1.1\nHost: a\nConnection: close\nContent-Length: 11\n\n01234567890"
    #expect(try exchange(server.port, announced).hasPrefix("HTTP/1.1 413 "))
    let chunked = "POST / HTTP/1.1\nHost: a\nConnection: close\nTransfer-Encoding: chunked\n\nb\n01234567890\n0\n\n"
    #expect(try exchange(server.port, chunked).hasPrefix("HTTP/1.1 413 "))
    #expect(calls.withLock { $0 } == 0)
  }

  @Test(arguments: [
    ("Content-Length: 5\nTransfer-Encoding: chunked", 400), ("Content-Length: 5\nContent-Length: 6", 400),
    ("Transfer-Encoding: chunked\nTransfer-Encoding: chunked", 400), ("Transfer-Encoding: xchunked", 501),
    ("Content-Length : 5", 400), ("Content-Length: -5", 400), ("Content-Length: +5", 400),
    ("Content-Length: 5, 5", 400), ("Content-Length: 0x5", 400), ("Content-Length:", 400),
    ("Content-Length: 99999999999999999999999", 413), ("Transfer-Encoding: chunked, identity", 501),
    ("Transfer\u{0}-Encoding: chunked", 400), ("Transfer-Enc:\n oding: chunked", 400),
  ])
  func refusesARequestWhoseEndIsInDoubt(fields: String, status: Int) throws {
    let paths = Mutex<[String]>([])
    let server = try HTTPServer { request in
      paths.withLock { $0.append(request.path) }
      return ServerResponse(status: 200)
    }
    let smuggled = "POST / HTTP/1.1\nHost: a\n\(fields)\n\n0\n\nGET /smuggled HTTP/1.1\nHost: a\n\n"
    #expect(try exchange(server.port, smuggled).hasPrefix("HTTP/1.1 \(status) "))
    #expect(paths.withLock { $0 } == [])
  }

  /// Whatever a sender takes for the end of the body: nothing behind it is a request.
  @Test(arguments: [
    "2\n{}\n0\n\n", "2;a\n{}\r\n0\r\n\r\n", "2\r\n{}\n0\r\n\r\n", "2;a=\"\n{}\r\n0\r\n\r\n",
    "2\r\n{}\r\n0\r\nX: y\n\r\n", "2;\u{0}\r\n{}\r\n0\r\n\r\n", "2\r\n{}\r\n0\r\n\r\n",
  ])
  func noRequestFollowsABodyInChunks(body: String) throws {
    let paths = Mutex<[String]>([])
    let server = try HTTPServer { request in
      paths.withLock { $0.append(request.path) }
      return ServerResponse(status: 200, delay: request.query.isEmpty ? 0 : 0.01)
    }
    for target in ["/one", "/one?delayed"] {
      let connection = try RawConnection(port: server.port)
      connection.send(
        "POST \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
          + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = connection.readToEnd()
    }
    #expect(Set(paths.withLock { $0 }).isSubset(of: ["/one"]))
  }

  @Test func readsABodyInChunks() throws {
    let server = try HTTPServer(handler: Self.echo)
    let connection = try RawConnection(port: server.port)
    connection.send("POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=1\r\n012")
    connection.send("34\r\n3\r\n567\r\n0\r\n")
    connection.send("X-Trailer: y\r\n\r\n")
    let answer = connection.readToEnd()
    #expect(answer.contains("\r\nConnection: close\r\n") && answer.hasSuffix("POST /c [/c]  8"), "\(answer)")
  }

  /// RFC 9112 §2.2, §3.2 and §5; RFC 9110 §5.5.
  @Test(arguments: [
    "GET / HTTP/1.1\nHost: a\nHost: a", "GET / HTTP/1.1\nHost: a\nhost: b", "GET / HTTP/1.1",
    "GET / HTTP/1.1\nHost: a,b", "GET / HTTP/1.1\nHost: a b", "GET / HTTP/1.1\nHost: a@b", "GET / HTTP/1.1\nHost: a/b",
    "GET / HTTP/1.1\nHost: a\nX: b\rc", "GET / HTTP/1.1\nHost: a\nX: b\rY: c", "GET / HTTP/1.1\nHost: a\rX: b",
    "GET / HTTP/1.1\nHost: a\nX: b\u{0}c", "GET / HTTP/1.1\nHost: a\nX: b\u{0}", "GET / HTTP/1.1\nHost: a\nX\u{0}Y: b",
    "GET / HTTP/1.1\nHost: a\u{0}b\nX: y", "GET /\u{0}a HTTP/1.1\nHost: a", "GET /\ra HTTP/1.1\nHost: a",
    "GET /a b HTTP/1.1\nHost: a", "GET /a\tb HTTP/1.1\nHost: a", "GET / HTTP/1.1\nHost: a\nX : b",
    "GET / HTTP/1.1\nHost: a\nX: b\n c", "GET / HTTP/1.1\nHost: a\nX: b\n\tc\nY: d", "GET / HTTP/1.1\nHost: a\n: b",
    "GET / HTTP/1.1\nHost: a\nX(: b", "GET / HTTP/1.1\nHost: a\nX: b\u{7}", "GET / HTTP/1.1\nHost: a\nno colon",
    "POST / HTTP/1.0\nHost: a\nTransfer-Encoding: chunked", " GET / HTTP/1.1\nHost: a",
  ])
  func refusesAHeaderWithTwoMeanings(head: String) throws {
    let calls = Mutex(0)
    let server = try HTTPServer { _ in
      calls.withLock { $0 += 1 }
      return ServerResponse(status: 200)
    }
    let answer = try exchange(server.port, "\(head)\nConnection: close\n\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.isEmpty, "\(head.debugDescription): \(answer)")
    #expect(calls.withLock { $0 } == 0)
  }

  @Test func refusesLinesThatDoNotEndWithCRLF() throws {
    let server = try HTTPServer { _ in ServerResponse(status: 200) }
    for head in [
      "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
    ] {
      let connection = try RawConnection(port: server.port)
      connection.send(head)
      #expect(connection.readToEnd().hasPrefix("HTTP/1.1 400 "), "\(head.debugDescription)")
    }
  }

  @Test(arguments: [
    "GET /a?b=%00 HTTP/1.1\nHost: [::1]:80", "GET / HTTP/1.0", "GET / HTTP/1.1\nHost:",
    "GET / HTTP/1.1\nHost:   a.b:1 \nX:\tb\tc ",
    "GET / HTTP/1.1\nHost: a\nX: caf\u{E9} \u{20AC}\nX: again\nx:\n!#$%&'*+-.^_`|~9: y",
  ])
  func takesWhatIsAllowed(head: String) throws {
    let server = try HTTPServer { _ in ServerResponse(status: 200) }
    let answer = try exchange(server.port, "\(head)\nConnection: close\n\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(head.debugDescription): \(answer)")
  }

  @Test(arguments: [Double.infinity, 1e300]) func anyDelayIsWaitedFor(seconds: Double) throws {
    let seen = Mutex(false)
    let server = try HTTPServer { _ in
      seen.withLock { $0 = true }
      return ServerResponse(status: 200, delay: seconds)
    }
    let connection = try RawConnection(port: server.port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    while !seen.withLock({ $0 }) {}
    server.stop()
    _ = connection.readToEnd()
  }

  @Test func aDelayedAnswerHoldsUpNobodyElse() throws {
    let order = Mutex<[String]>([])
    let server = try HTTPServer { request in
      order.withLock { $0.append(request.path) }
      return ServerResponse(status: 200, body: Array("done".utf8), delay: request.path == "/slow" ? 0.3 : 0)
    }
    let slow = try RawConnection(port: server.port)
    slow.send("GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    while order.withLock({ $0.isEmpty }) {}
    // Both were taken by the server's one thread, the slow one first; the other is answered nevertheless.
    #expect(try exchange(server.port, "GET /fast HTTP/1.1\nHost: a\nConnection: close\n\n").hasSuffix("done"))
    #expect(order.withLock { $0 } == ["/slow", "/fast"])
    #expect(slow.readToEnd().hasSuffix("done"))
  }

  @Test func stopsWhileAnAnswerIsDelayed() throws {
    let seen = Mutex(false)
    let server = try HTTPServer { _ in
      seen.withLock { $0 = true }
      return ServerResponse(status: 200, delay: 600)
    }
    let connection = try RawConnection(port: server.port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    while !seen.withLock({ $0 }) {}
    server.stop()
    server.stop()
    _ = connection.readToEnd()
    #expect(throws: RawConnection.Refused.self) { try RawConnection(port: server.port) }
  }

  @Test func dropsBeforeAndInTheMiddleOfAnAnswer() throws {
    let server = try HTTPServer { request in
      let drop: ServerResponse.Drop = request.path == "/before" ? .beforeResponse : .midResponse
      return ServerResponse(
        status: 200, body: Array("0123456789".utf8), delay: request.query.isEmpty ? 0 : 0.01, drop: drop)
    }
    for query in ["", "?delayed"] {
      #expect(try exchange(server.port, "GET /before\(query) HTTP/1.1\nHost: a\n\n") == "")
      let half = try exchange(server.port, "GET /mid\(query) HTTP/1.1\nHost: a\n\n")
      #expect(half.contains("Content-Length: 10\r\n"))
      #expect(half.hasSuffix("\r\n\r\n01234"))
    }
  }

  @Test(arguments: [false, true]) func aDropMayBeAReset(isReset: Bool) throws {
    let server = try HTTPServer { request in
      var response = ServerResponse(status: 200, body: Array("0123456789".utf8))
      response.drop = request.path == "/before" ? .beforeResponse : .midResponse
      response.isReset = isReset
      return response
    }
    for path in ["/before", "/mid"] {
      let connection = try RawConnection(port: server.port)
      connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(connection.readToEnd().hasSuffix(path == "/mid" ? "\r\n\r\n01234" : ""))
      #expect(connection.wasReset == isReset)
    }
  }

  @Test(arguments: [
    ("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n", "a=1;"),
    ("before\r\n--b\r\nX: y\r\ncontent-disposition: form-data; name=a\r\n\r\n\r\n--b--after", "a=;"),
    ("--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b\r\nno end of the header\r\n--b--", ""), ("", ""),
  ])
  func readsAFormOfParts(body: String, fields: String) throws {
    let request = ServerRequest(
      method: "POST", target: "/", headers: [("content-type", "Multipart/Form-Data; boundary=b")],
      body: Array(body.utf8))
    #expect(request.multipartForm.map { "\($0.0)=\($0.1);" }.joined() == fields)
    #expect(ServerRequest(method: "POST", target: "/", body: request.body).multipartForm.isEmpty)
  }

  @Test func saysThatAPortIsTaken() throws {
    let first = try HTTPServer(handler: Self.echo)
    let error = #expect(throws: HTTPServerError.self) { try HTTPServer(port: first.port, handler: Self.echo) }
    #expect(error?.kind == .portTaken)
    #expect(error?.message == "port \(first.port) on 127.0.0.1 is taken by another program")
    #expect(error?.hint == "choose another port, or 0 for any free one")
  }
}
