import HTTPClient
import Testing

/// Requests that are not sent, and why.
@Suite struct RefusalTests {
  @Test(
    arguments: [
      ("", ""), ("/api/tasks", "/api/tasks"), ("ftp://h/x?code=1", "ftp://h/x"), ("http:host", "http:host"),
      ("http:///x", "http:///x"), ("http://h\0.example/", "http://h?.example/"),
      ("http://h/a\r\nX: y", "http://h/a??X:?y"),
      ("http://h:99999/", "http://h:99999/"), ("https://user:password@h:x/?code=1", "https://h:x/"),
    ])
  func anAddressThatIsNone(url: String, shown: String) async {
    let error = await failure(of: HTTPRequest(url: url))
    #expect(error?.kind == .invalidURL)
    #expect(error?.message == "\"\(shown)\" is not an http or https address")
    #expect(error?.mayHaveBeenReceived == false)
  }

  @Test(
    arguments: [
      ("X-A", "b\r\nX-Evil: 1", "the value of the header field X-A holds a line break"),
      ("X-A", "b\nc", "the value of the header field X-A holds a line break"),
      ("X-A", "b\0c", "the value of the header field X-A holds a NUL"),
      ("X-A: 1\r\nX-B", "c", "\"X-A: 1??X-B\" is not the name of a header field"),
      ("", "c", "\"\" is not the name of a header field"), ("X A", "c", "\"X A\" is not the name of a header field"),
      ("Content-Length", "1", "the header field Content-Length follows from the body and cannot be given"),
    ])
  func aHeaderFieldThatWouldSayMore(name: String, value: String, message: String) async {
    let error = await failure(of: HTTPRequest(url: "http://127.0.0.1:1", headers: HTTPHeaders([(name, value)])))
    #expect(error?.message == message)
    #expect(error?.mayHaveBeenReceived == false)
  }

  @Test(arguments: [(40_000, 1), (2, 1 << 19)]) func headerFieldsWithoutEnd(count: Int, size: Int) async {
    var headers = HTTPHeaders()
    for number in 0..<count { headers.append("X-\(number)", String(repeating: "y", count: size)) }
    let error = await failure(of: HTTPRequest(url: "http://127.0.0.1:1", headers: headers))
    #expect(error?.message.hasPrefix("the request has \(count) header fields with ") == true)
    #expect(error?.message.hasSuffix(" bytes, more than 1000 fields or 1 MiB") == true)
    #expect(error?.mayHaveBeenReceived == false)
  }

  @Test(arguments: ["", "GET /x HTTP/1.1\r\n", "CONNECT"]) func aMethodThatIsNone(method: String) async {
    let error = await failure(of: HTTPRequest(method: method, url: "http://127.0.0.1:1"))
    #expect(error?.message.hasSuffix("is not the method of a request") == true)
  }

  @Test func aRefusedRequestSpoilsNoLaterOne() async throws {
    let server = try ScriptedServer { _ in .ok() }
    defer { server.stop() }
    let client = HTTPClient()
    _ = try await client.send(HTTPRequest(url: server.url, headers: ["X-A": "1"]))
    _ = await failure(of: HTTPRequest(method: "POST", url: server.url, headers: ["X-B": "\n"], body: [1]), by: client)
    _ = await failure(of: HTTPRequest(method: "A B", url: "http://127.0.0.1:1", headers: ["X-C": "1"]), by: client)
    _ = try await client.send(HTTPRequest(url: server.url, headers: ["X-D": "1"]))

    let last = try #require(server.requests.last)
    #expect(last.method == "GET")
    #expect(last.headers.map(\.name).filter { $0.hasPrefix("x-") } == ["x-d"])
  }

  @Test func aMethodThatLibcurlRefusesIsNotSentAsAnother() async throws {
    let server = try ScriptedServer { _ in .ok() }
    defer { server.stop() }
    let client = HTTPClient()
    _ = try await client.send(HTTPRequest(url: server.url))
    let method = String(repeating: "A", count: 8_000_001)
    let error = await failure(of: HTTPRequest(method: method, url: server.url), by: client)
    #expect(error?.message.hasPrefix("libcurl refuses a part of the request (") == true)
    #expect(error?.mayHaveBeenReceived == false)
    #expect(server.requests.count == 1)
  }

  @Test func saysWhoDoesNotListen() async {
    let error = await failure(of: HTTPRequest(url: "http://127.0.0.1:1/?code=secret"))
    #expect(error?.message == "cannot connect to 127.0.0.1:1 (connection refused)")
    #expect(error?.kind == .unreachable)
    #expect(error?.mayHaveBeenReceived == false)
  }
}
