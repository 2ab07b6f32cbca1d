import Core
import HTTPServer
import Testing

@Suite struct TLSIdentityTests {
  @Test func aSelfSignedIdentityServes() throws {
    let identity = try TLSIdentity.selfSigned()
    #expect(identity.certificate.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    #expect(identity.key.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let server = try HTTPServer(tls: identity) { _ in ServerResponse(status: 204) }
    #expect(server.isSecure)
    #expect(server.port > 0)
  }

  @Test func aCertificateThatIsNoneIsRefused() {
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer(tls: TLSIdentity(certificate: "none", key: "none")) { _ in ServerResponse(status: 204) }
    }
    #expect(error?.kind == .tls)
  }
}
