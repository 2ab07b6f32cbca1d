import HTTPClient
import HTTPServer
import Testing

@Suite struct TLSTests {
  private func server(hosts: [String] = ["localhost", "127.0.0.1"]) throws -> (
    server: HTTPServer, identity: TLSIdentity
  ) {
    let identity = try TLSIdentity.selfSigned(hosts: hosts)
    let server = try HTTPServer(tls: identity) { request in
      ServerResponse(status: 200, headers: [], body: Array("over TLS".utf8))
    }
    return (server, identity)
  }

  @Test func trustsNoUnknownIssuer() async throws {
    let (server, _) = try server()
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(method: "POST", url: "https://localhost:\(server.port)/?code=secret"))
    #expect(error?.kind == .tls)
    #expect(error?.message == "the certificate of localhost:\(server.port) is not trusted (self-signed certificate)")
    #expect(
      error?.hint
        == "give the certificate of its issuer with --cacert FILE, or in a file that SSL_CERT_FILE names")
    #expect(error?.mayHaveBeenReceived == false)
  }

  @Test func trustsTheGivenIssuerBesidesTheSystems() async throws {
    let (server, identity) = try server()
    defer { server.stop() }
    let file = try TemporaryFile(identity.certificate)
    let client = HTTPClient(HTTPClientConfiguration(caFile: file.path))
    for host in ["localhost", "127.0.0.1"] {
      let response = try await client.send(HTTPRequest(url: "https://\(host):\(server.port)/"))
      #expect(response.text == "over TLS")
    }
    // Clients share connections, but not their trusted certificates.
    let error = await failure(of: HTTPRequest(url: "https://localhost:\(server.port)/"))
    #expect(error?.kind == .tls)
  }

  @Test func refusesACertificateForAnotherName() async throws {
    let (server, identity) = try server(hosts: ["other.example"])
    defer { server.stop() }
    let file = try TemporaryFile(identity.certificate)
    let client = HTTPClient(HTTPClientConfiguration(caFile: file.path))
    let error = await failure(of: HTTPRequest(url: "https://localhost:\(server.port)/"), by: client)
    #expect(error?.kind == .tls)
    #expect(error?.message == "the certificate of localhost:\(server.port) is for another name")
  }

  @Test(arguments: ["", "not a certificate"]) func refusesAFileWithoutCertificates(content: String) async throws {
    let (server, _) = try server()
    defer { server.stop() }
    let file = try TemporaryFile(content)
    for path in [file.path, "/nonexistent/ca.pem"] {
      let client = HTTPClient(HTTPClientConfiguration(caFile: path))
      let error = await failure(of: HTTPRequest(url: "https://localhost:\(server.port)/"), by: client)
      #expect(error?.kind == .tls)
      #expect(error?.message == "\"\(path)\" holds no certificates")
    }
  }

  @Test func reportsAServerWithoutTLS() async throws {
    let server = try HTTPServer { _ in ServerResponse(status: 200) }
    defer { server.stop() }
    let error = await failure(of: HTTPRequest(url: "https://127.0.0.1:\(server.port)/"))
    #expect(error?.kind == .tls)
    #expect(error?.message.hasPrefix("127.0.0.1:\(server.port) cannot be spoken to over TLS (") == true)
    #expect(error?.mayHaveBeenReceived == false)
  }

  @Test func aRequestWithATokenDoesNotLeaveTLS() async throws {
    let plain = try ScriptedServer { _ in .ok("plain") }
    let plainURL = plain.url + "/x?y"
    let identity = try TLSIdentity.selfSigned(hosts: ["localhost"])
    let server = try HTTPServer(tls: identity) { _ in
      ServerResponse(status: 302, headers: [("Location", plainURL)], body: [])
    }
    defer {
      plain.stop()
      server.stop()
    }
    let file = try TemporaryFile(identity.certificate)
    let client = HTTPClient(HTTPClientConfiguration(caFile: file.path))
    let url = "https://localhost:\(server.port)/"
    let error = await failure(of: HTTPRequest(url: url, headers: ["Authorization": "Bearer t"]), by: client)
    let temporary = await failure(of: HTTPRequest(method: "PUT", url: url, body: Array("secret".utf8)), by: client)

    #expect(error?.kind == .insecureRedirect)
    #expect(temporary?.kind == .insecureRedirect)
    #expect(
      error?.message
        == "GET to localhost:\(server.port) redirects from https to \(plain.url), where a request with a token does not follow"
    )
    #expect(plain.requests.isEmpty)
    #expect(try await client.send(HTTPRequest(url: url)).text == "plain")
  }
}
