import HTTPClient
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
}
