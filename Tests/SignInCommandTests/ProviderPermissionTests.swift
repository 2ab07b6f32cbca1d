import CommandLineSupport
import Foundation
import HTTPServer
import Testing

/// Tests of connections to the addresses in a provider's documents. One server has the metadata, which names the other server.
@Suite("Connections to a provider")
struct ProviderPermissionTests {
  private final class Provider {
    let endpoints: HTTPServer
    let authority: HTTPServer

    init() throws {
      let endpoints = try HTTPServer { _ in
        ServerResponse(
          text: #"{ "access_token": "abc", "token_type": "Bearer", "expires_in": 3600 }"#, type: "application/json")
      }
      self.endpoints = endpoints
      authority = try HTTPServer { request in
        let own = "http://\(request.header("Host") ?? "")"
        return ServerResponse(
          text: """
            { "issuer": "\(own)", "token_endpoint": "http://127.0.0.1:\(endpoints.port)/token",
              "authorization_endpoint": "\(own)/authorize", "jwks_uri": "\(own)/keys" }
            """, type: "application/json")
      }
    }

    deinit {
      endpoints.stop()
      authority.stop()
    }

    func run(_ settings: String..., script: String) throws -> Program.Result {
      try Program().run(
        list: settings.flatMap { ["--set", $0] } + [
          "-e",
          """
          local endpoints, authority = "http://127.0.0.1:\(endpoints.port)/", "http://127.0.0.1:\(authority.port)"
          local function try(...) local ok, e = pcall(...) print(ok or e.code) end
          \(script)
          """,
        ])
    }
  }

  @Test("where the metadata of the settings' own authority leads, signing in goes, and the script does not")
  func named() throws {
    let provider = try Provider()
    let result = try provider.run(
      "clientID=app", "clientSecret=very-secret", "authority=http://127.0.0.1:\(provider.authority.port)",
      script: """
        try(http.get, endpoints)
        try(oauth.token, { grant_type = "client_credentials", scope = "x" })
        try(http.get, endpoints)
        """)
    #expect(result.output == "permission_denied\ntrue\npermission_denied\n", "\(result)")
  }

  @Test("what other settings name may not, nor their own origins")
  func others() throws {
    let provider = try Provider()
    let result = try provider.run(
      "clientID=app", "clientSecret=very-secret", "tokenURL=https://provider.example/token",
      script: """
        local other = settings.with { authority = authority, tokenURL = json.null }
        try(accounts.sign_in, { settings = other, flow = "client_credentials", scopes = "x" })
        try(http.get, endpoints)
        try(http.get, authority)
        """)
    #expect(result.output == "permission_denied\npermission_denied\npermission_denied\n", "\(result)")
    let allowed = try Program().run(
      list: [
        "--allow-net=127.0.0.1:\(provider.authority.port)", "--set", "clientID=app", "--set",
        "clientSecret=very-secret",
        "-e",
        """
        local other = settings.with { authority = "http://127.0.0.1:\(provider.authority.port)" }
        print(select(2, pcall(accounts.sign_in, { settings = other, flow = "client_credentials", scopes = "x" })).message)
        """,
      ])
    #expect(
      allowed.output == "oauth.token: needs permission to connect to 127.0.0.1:\(provider.endpoints.port)\n",
      "\(allowed)")
  }
}
