import HTTPClient
import HostLoop
import Testing

@Suite struct CookieJarTests {
  @Test func keepsCookiesForTheirPathAndAcrossRedirects() async throws {
    let server = try ScriptedServer { request in
      switch request.target {
      case "/set":
        .ok("", ["Set-Cookie: a=1; Path=/", "Set-Cookie: b=2; Path=/deep", "Location: /deep/x"], status: "302 Found")
      case "/clear": .ok("", ["Set-Cookie: a=; Path=/; Max-Age=0"])
      default: .ok(request.header("cookie") ?? "none")
      }
    }
    defer { server.stop() }
    let client = HTTPClient()
    let jar = CookieJar()
    func get(_ path: String, _ jar: CookieJar?) async throws -> String {
      try await client.send(HTTPRequest(url: server.url + path, cookies: jar)).text
    }

    #expect(Set(try await get("/set", jar).split(separator: "; ")) == ["a=1", "b=2"])
    #expect(try await get("/", jar) == "a=1")
    #expect(try await get("/", nil) == "none")
    #expect(try await get("/", CookieJar()) == "none")
    _ = try await get("/clear", jar)
    #expect(try await get("/", jar) == "none")
  }

  @Test @HostActor func tellsOfCookiesThatAreTooLarge() async throws {
    let server = try ScriptedServer { request in
      guard request.target == "/set" else { return .ok("\(request.header("cookie")?.utf8.count ?? 0)") }
      let large = String(repeating: "v", count: 3000)
      return .ok(
        "", ["one", "two", "three"].map { "Set-Cookie: \($0)=\(large)" } + ["Set-Cookie: four=\(large)\(large)"])
    }
    defer { server.stop() }
    let events = Events()
    var notices: [String] = []
    events.watch(CookieNotice.self) { notice, _ in notices.append(notice.message) }
    let client = HTTPClient(events: events)
    let jar = CookieJar()
    _ = try await client.send(HTTPRequest(url: server.url + "/set", cookies: jar))
    #expect(notices == ["a cookie is longer than the 4096 bytes that libcurl keeps, and was left out"])
    let sent = Int(try await client.send(HTTPRequest(url: server.url + "/", cookies: jar)).text) ?? 0
    #expect(sent < 8190)
    #expect(
      notices.last?.hasPrefix("the cookies for a page are longer than the 8190 bytes that libcurl sends; left out: ")
        == true, "\(notices)")
  }
}
