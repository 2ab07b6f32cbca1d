import Glibc
import HTTPClient
import HostLoop
import Testing

@Suite(.serialized) struct ProxyTests {
  @Test func goesThroughTheProxyOfTheEnvironmentButForThisMachine() async throws {
    let proxy = try ScriptedServer { .ok("proxy saw \($0.target)") }
    let server = try ScriptedServer { _ in .ok("direct") }
    defer {
      proxy.stop()
      server.stop()
    }
    let proxyURL = proxy.url
    let url = server.url
    try await HostActor.task {
      // This runs on the loop's thread, where libcurl reads the environment.
      setenv("http_proxy", proxyURL, 1)
      setenv("no_proxy", "*.skipped.invalid, other.invalid:81", 1)
      defer {
        unsetenv("http_proxy")
        unsetenv("no_proxy")
      }
      let client = HTTPClient()
      let proxied = try await client.send(HTTPRequest(url: "http://proxied.invalid/x"))
      #expect(proxied.text == "proxy saw http://proxied.invalid/x")
      // To a proxy a request is written otherwise, prepared or not.
      let post = try client.prepare(postTo: "http://proxied.invalid/y", headers: [:], timeout: 30)
      #expect(try await client.send(post, body: [1]).text == "proxy saw http://proxied.invalid/y")
      for host in ["a.skipped.invalid:80", "other.invalid:81"] {
        let skipped = await failure(of: HTTPRequest(url: "http://\(host)/?code=secret"), by: client)
        #expect(skipped?.kind == .unreachable)
        #expect(skipped?.message == "cannot connect to \(host) (no such host)")
      }
      #expect(try await client.send(HTTPRequest(url: "http://other.invalid/")).text.hasPrefix("proxy saw"))
      setenv("http_proxy", "http://127.0.0.1:1", 1)
      let lost = await failure(of: HTTPRequest(url: "http://proxied.invalid/x"), by: client)
      #expect(lost?.message.hasPrefix("cannot connect to proxied.invalid:80 by its proxy (") == true)
      let direct = try await client.send(HTTPRequest(url: url))
      #expect(direct.text == "direct")
    }.value
  }
}
