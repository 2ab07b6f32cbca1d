import CommandLineSupport
import Foundation
import HTTPServer
import JSON
import Testing

/// Clients that are named by the addresses of their metadata documents, at the local tenant.
@Suite("Client ID metadata documents of tenant --mcp")
struct ClientDocumentTests {
  private func address(_ tenant: RunningTenant) throws -> String {
    try String(#require(tenant.settings.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output)
  }

  @Test("the tenant hosts a document, says so in its metadata, and signs a user in for the client that it names")
  func hosted() throws {
    let tenant = try RunningTenant(flags: ["--mcp"])
    let origin = try address(tenant)
    let client = "\(origin)/clients/app.json"
    let result = try Program().run(
      "--set=clientIDDocument=\(client)", "--allow-net", "-e",
      """
      local b2c = require "b2c"
      local server <close> = b2c.mcp.connect("\(origin)/mcp", {
        sign_in = { agent = "headless", username = "alice", password = "Wonderland-1" },
      })
      print(#server:tools())
      local _, claims = b2c.oauth.decode(b2c.accounts.current():token():reveal())
      print(claims.azp, claims.aud)
      print(b2c.http.get("\(client)").json().client_id)
      local path = "/.well-known/oauth-authorization-server/contoso.onmicrosoft.com/b2c_1_susi/v2.0"
      print(b2c.http.get("\(origin)" .. path).json().client_id_metadata_document_supported)
      """)
    #expect(
      result.output == "3\n\(client)\t\(origin)/mcp\n\(client)\ntrue\n", "\(result)")
  }

  /// Documents with a fault, and the words of the refusal. `ADDRESS` stands for the address of the document.
  static let documents: [(document: String, refusal: String?)] = [
    (#"{"client_id":"ADDRESS","client_name":"a","redirect_uris":["http://127.0.0.1/cb"]}"#, nil),
    (
      #"{"client_id":"https://other.example/a.json","client_name":"a","redirect_uris":["http://127.0.0.1/cb"]}"#,
      "is another one"
    ),
    (#"{"client_id":"ADDRESS","redirect_uris":["http://127.0.0.1/cb"]}"#, "no client_name"),
    (#"{"client_id":"ADDRESS","client_name":"a"}"#, "no redirect_uris"),
    (
      #"{"client_id":"ADDRESS","client_name":"a","redirect_uris":["https://victim.example/cb"]}"#,
      "https://victim.example/cb is neither on this machine nor on the host"
    ),
    (
      #"{"client_id":"ADDRESS","client_name":"a","redirect_uris":["http://127.0.0.1/cb"],"logo_uri":"https://track.example/l.png"}"#,
      "logo_uri is on another host"
    ),
    (
      #"{"client_id":"ADDRESS","client_name":"a","redirect_uris":["http://127.0.0.1/cb"],"client_secret":"x"}"#,
      "has no client_secret"
    ),
    (
      #"{"client_id":"ADDRESS","client_name":"a","redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"private_key_jwt"}"#,
      "no jwks"
    ),
    ("[]", "not a JSON object"), ("<html>", "not JSON"),
    ("\"\(String(repeating: "x", count: 6 << 10))\"", "cannot be fetched"),
  ]

  @Test("a document is read with guards, and a wrong one names no client")
  func guards() throws {
    let tenant = try RunningTenant(flags: ["--mcp", "--private-network"])
    let origin = try address(tenant)
    let server = try HTTPServer { request in
      let number = Int(request.path.dropFirst(2).prefix { $0.isNumber }) ?? 0
      guard Self.documents.indices.contains(number) else {
        return ServerResponse(status: 302, headers: [("Location", "/d0.json")])
      }
      let address = "http://\(request.header("Host") ?? "")\(request.path)"
      return ServerResponse(
        text: Self.documents[number].document.replacing("ADDRESS", with: address), type: "application/json")
    }
    defer { server.stop() }
    for (number, expected) in (Self.documents.map(\.refusal) + ["status 302"]).enumerated() {
      let said = try answer(origin, "http://127.0.0.1:\(server.port)/d\(number).json")
      if let expected {
        #expect(said.contains("invalid_client") && said.contains(expected), "\(number): \(said)")
      } else {
        #expect(!said.contains("invalid_client"), "\(number): \(said)")
      }
    }
  }

  @Test(
    "without --private-network, no document comes from a private address; a client ID is an https address with a path")
  func privateAddresses() throws {
    let tenant = try RunningTenant(flags: ["--mcp"])
    let origin = try address(tenant)
    let refused = [
      ("https://10.0.0.1/a.json", "private address"), ("https://localhost/a.json", "private address"),
      ("https://[fd00::1]/a.json", "private address"), ("http://evil.example/a.json", "not an https address"),
      ("http://127.0.0.1:9/a.json", "not an https address"), ("https://evil.example/", "no path"),
      ("https://evil.example/a#b", "fragment"), ("https://u@evil.example/a", "user name"),
      ("https://evil.example/a/../b", "dots"), ("\(origin)/clients/none", "hosts no such"),
    ]
    for (client, words) in refused {
      let said = try answer(origin, client)
      #expect(said.contains("invalid_client") && said.contains(words), "\(client): \(said)")
    }
  }

  /// The tenant's answer to an authorization request of the client.
  private func answer(_ origin: String, _ client: String) throws -> String {
    try Program().run(
      "--allow-net", "-e",
      """
      local answer = b2c.http.get("\(origin)/contoso.onmicrosoft.com/b2c_1_susi/oauth2/v2.0/authorize", {
        query = {
          client_id = "\(client)", response_type = "code", scope = "openid", redirect_uri = "http://127.0.0.1/cb",
          code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method = "S256",
        },
        raise = false,
      })
      print(answer.status, answer.body)
      """
    ).output
  }
}
