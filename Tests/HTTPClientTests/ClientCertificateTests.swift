import Core
import HTTPClient
import HTTPServer
import Testing

/// Certificates of clients in TLS (RFC 8705): which one a server sees.
@Suite struct ClientCertificateTests {
  private let identity: TLSIdentity
  private let file: TemporaryFile
  private let server: HTTPServer

  init() throws {
    let identity = try TLSIdentity.selfSigned()
    self.identity = identity
    file = try TemporaryFile(identity.certificate)
    server = try HTTPServer(tls: identity, clientAuthorities: identity.certificate) { request in
      let shown = request.certificate.map { "\($0.der.count) \($0.der.reduce(0) { $0 &* 31 &+ Int($1) })" } ?? "none"
      guard request.path == "/away" else { return ServerResponse(text: shown, type: "text/plain") }
      let port = request.header("Host")?.split(separator: ":").last ?? ""
      return ServerResponse(status: 302, headers: [("Location", "https://localhost:\(port)/")])
    }
  }

  private func certificate(_ name: String) throws -> ClientCertificate {
    let made = try TLSIdentity.selfSigned(hosts: [name])
    return ClientCertificate(chain: Array(made.certificate.utf8), key: Secret(made.key), thumbprint: name)
  }

  private var client: HTTPClient { HTTPClient(HTTPClientConfiguration(caFile: file.path)) }

  private func request(_ path: String = "/", _ certificate: ClientCertificate?) -> HTTPRequest {
    var request = HTTPRequest(url: "https://127.0.0.1:\(server.port)\(path)")
    request.certificate = certificate
    return request
  }

  @Test func eachRequestShowsItsOwn() async throws {
    defer { server.stop() }
    let (a, b) = (try certificate("a"), try certificate("b"))
    var shown: [String] = []
    // Connections are kept, and none carries a request of another certificate.
    for certificate in [a, nil, b, a, nil, b] {
      shown.append(try await client.send(request("/", certificate)).text)
    }
    #expect(shown[1] == "none" && shown[4] == "none")
    #expect(shown[0] == shown[3] && shown[2] == shown[5])
    #expect(Set(shown).count == 3)
  }

  @Test func lanesShowTheirOwn() async throws {
    defer { server.stop() }
    var shown: [String] = []
    let url = "https://127.0.0.1:\(server.port)/"
    for certificate in [try certificate("a"), nil, try certificate("b")] {
      let post = try await client.prepare(postTo: url, headers: [:], timeout: 30, certificate: certificate)
      for _ in 0..<2 { shown.append(try await client.send(post, body: []).text) }
    }
    #expect(shown[0] == shown[1] && shown[2] == "none" && shown[3] == "none" && shown[4] == shown[5])
    #expect(Set(shown).count == 3)
  }

  @Test func noneFollowsARedirectToAnotherOrigin() async throws {
    defer { server.stop() }
    #expect(try await client.send(request("/away", try certificate("a"))).text == "none")
  }

  @Test func aKeyOfAnotherCertificateIsAnError() async throws {
    defer { server.stop() }
    let (a, b) = (try certificate("a"), try certificate("b"))
    let mixed = ClientCertificate(chain: a.chain, key: b.key, thumbprint: "mixed")
    let error = await failure(of: request("/", mixed), by: client)
    #expect(error?.kind == .tls)
    #expect(error?.hint == "the server may have refused the client's certificate")
  }
}
