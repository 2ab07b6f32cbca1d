import CommandLineSupport
import Foundation
import HTTPServer
import JSON
import Testing

/// The scenarios of the protocol's authorization for clients, each with the program as the client.
@Suite("accounts.sign_in { mcp = URL }")
struct MCPSignInTests {
  private let program: Program

  init() throws { program = try Program() }

  /// Signs in at the server by a script, which prints the scopes of the account.
  private func signIn(_ server: ProtectedServer, _ options: String = "", flags: [String] = []) throws -> Program.Result
  {
    let script = """
      local account = b2c.accounts.sign_in { mcp = "\(server.url)", agent = "headless", \(options) }
      print(account.name, table.concat(account.scopes, " "))
      """
    return try program.run(list: flags + ["--allow-net", "-e", script])
  }

  private func refusal(_ server: ProtectedServer, _ options: String = "", flags: [String] = []) throws -> String {
    let result = try signIn(server, options, flags: flags)
    #expect(result.status != 0, "\(result)")
    #expect(server.requests("/token").isEmpty, "a refused sign-in redeems no code")
    return result.errors
  }

  private func parameters(_ server: ProtectedServer) throws -> [String: String] {
    Dictionary(try #require(server.requests("/authorize").first).query) { $1 }
  }

  private func form(_ server: ProtectedServer) throws -> [String: String] {
    Dictionary(try #require(server.requests("/token").first).form) { $1 }
  }

  @Test("the address of the server is enough: metadata, registration, PKCE, resource, and an account")
  func walk() throws {
    let server = try ProtectedServer()
    let result = try signIn(server)
    #expect(result.status == 0 && result.output.hasPrefix(server.url), "\(result)")
    #expect(
      server.log.filter { $0 != "GET /.well-known/oauth-authorization-server" } == [
        "POST /mcp", "GET /.well-known/oauth-protected-resource/mcp", "POST /register", "GET /authorize", "POST /token",
      ])
    let asked = try parameters(server)
    #expect(asked["resource"] == server.url)
    #expect(asked["code_challenge_method"] == "S256")
    #expect(asked["scope"] == nil, "without a challenge and scopes_supported there is no scope")
    #expect(asked["client_id"] == "registered-1")
    let form = try form(server)
    #expect(form["resource"] == server.url)
    #expect(form["code_verifier"]?.isEmpty == false)
    let registration = try JSON(parsing: try #require(server.requests("/register").first).body)
    #expect(registration["application_type"] == "native")
    #expect(registration["grant_types"] == ["authorization_code", "refresh_token"])
    #expect(registration["redirect_uris"] == ["http://127.0.0.1:8743/callback"])
  }

  @Test(
    "the metadata of the authorization server is looked for in the order of the protocol",
    arguments: [
      ("", "/.well-known/openid-configuration", ["/.well-known/oauth-authorization-server"]),
      (
        "/t1", "/.well-known/openid-configuration/t1", ["/.well-known/oauth-authorization-server/t1"]
      ),
      (
        "/t1", "/t1/.well-known/openid-configuration",
        ["/.well-known/oauth-authorization-server/t1", "/.well-known/openid-configuration/t1"]
      ),
    ])
  func metadataPlaces(path: String, place: String, before: [String]) throws {
    let server = try ProtectedServer { $0.issuerPath = path }
    let document: JSON = [
      "issuer": .string(server.issuer), "authorization_endpoint": .string("\(server.origin)/authorize"),
      "token_endpoint": .string("\(server.origin)/token"),
      "registration_endpoint": .string("\(server.origin)/register"),
      "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
    ]
    server.change { state in
      for path in before { state.answers[path] = ServerResponse(status: 404) }
      state.answers[place] = ServerResponse(text: document.encoded(), type: "application/json")
    }
    let result = try signIn(server)
    #expect(result.status == 0, "\(result)")
    let asked = server.log.filter { $0.contains("oauth-authorization-server") || $0.contains("openid-conf") }
    #expect(Array(asked.prefix(before.count + 1)) == before.map { "GET \($0)" } + ["GET \(place)"])
  }

  @Test("without an address in the challenge, the resource metadata is at the path, else at the root")
  func rootMetadata() throws {
    let server = try ProtectedServer { state in
      state.challenge = nil
      state.answers["/.well-known/oauth-protected-resource/mcp"] = ServerResponse(status: 404)
    }
    let metadata: JSON = ["resource": .string(server.origin), "authorization_servers": [.string(server.issuer)]]
    server.change {
      $0.answers["/.well-known/oauth-protected-resource"] = ServerResponse(
        text: metadata.encoded(), type: "application/json")
    }
    let result = try signIn(server)
    #expect(result.status == 0, "\(result)")
    #expect(
      Array(server.log[1...2]) == [
        "GET /.well-known/oauth-protected-resource/mcp", "GET /.well-known/oauth-protected-resource",
      ])
  }

  // MARK: Scopes

  @Test("the scopes are those of the challenge, else those of the resource; offline_access only where it is listed")
  func scopes() throws {
    let challenged = try ProtectedServer { state in
      state.challenge = ["scope": "files:read"]
      state.resource = ["scopes_supported": ["files:read", "files:write"]]
    }
    _ = try signIn(challenged)
    #expect(try parameters(challenged)["scope"] == "files:read")

    let listed = try ProtectedServer { state in
      state.resource = ["scopes_supported": ["files:read", "files:write"]]
      state.metadata = ["scopes_supported": ["files:read", "offline_access"]]
    }
    _ = try signIn(listed)
    #expect(try parameters(listed)["scope"] == "files:read files:write offline_access")
  }

  @Test("a step up asks for the scopes of the account and those of the challenge")
  func stepUp() throws {
    let server = try ProtectedServer { $0.challenge = ["scope": "files:read"] }
    let result = try program.run(
      "--allow-net", "-e",
      """
      local account = b2c.accounts.sign_in { mcp = "\(server.url)", agent = "headless" }
      local problem = { code = "insufficient_scope", message = "no", details = { scope = "files:write" } }
      b2c.accounts.sign_in { mcp = "\(server.url)", agent = "headless", account = account, for_challenge = problem }
      """)
    #expect(result.status == 0, "\(result)")
    let asked = server.requests("/authorize").map { Dictionary($0.query) { $1 }["scope"] }
    #expect(asked == ["files:read", "files:read files:write"])
    #expect(server.requests("/register").count == 1, "the registration stays")
  }

  // MARK: Clients

  @Test(
    "the client authenticates as it was registered",
    arguments: ["client_secret_basic", "client_secret_post", "none"])
  func authentication(method: String) throws {
    let server = try ProtectedServer { state in
      state.metadata = ["token_endpoint_auth_methods_supported": [.string(method)]]
      state.registration = ["token_endpoint_auth_method": .string(method)]
      if method != "none" { state.registration["client_secret"] = "secret-of-the-client" }
    }
    let result = try signIn(server)
    #expect(result.status == 0, "\(result)")
    let form = try form(server)
    let header = server.requests("/token").first?.header("Authorization")
    #expect((header?.hasPrefix("Basic ") == true) == (method == "client_secret_basic"))
    #expect(form["client_secret"] == (method == "client_secret_post" ? "secret-of-the-client" : nil))
    #expect((form["client_id"] == nil) == (method == "client_secret_basic"))
  }

  @Test("an application of the settings comes before a client ID metadata document, and both before a registration")
  func priority() throws {
    let settings = "--set=clientIDDocument=https://client.example/app.json"
    let supported: [String: JSON] = ["client_id_metadata_document_supported": true]
    let document = try ProtectedServer { $0.metadata = supported }
    _ = try signIn(document, flags: [settings])
    #expect(try parameters(document)["client_id"] == "https://client.example/app.json")

    let registered = try ProtectedServer { $0.metadata = supported }
    _ = try signIn(registered, flags: [settings, "--set=clientID=mine", "--set=issuer=\(registered.issuer)"])
    #expect(try parameters(registered)["client_id"] == "mine")

    let dynamic = try ProtectedServer()
    _ = try signIn(dynamic, flags: [settings, "--set=clientID=mine", "--set=issuer=https://other.example"])
    #expect(try parameters(dynamic)["client_id"] == "registered-1")
    #expect(document.requests("/register").isEmpty && registered.requests("/register").isEmpty)
  }

  @Test("without a way to become a client, the error says what to register")
  func noClient() throws {
    let server = try ProtectedServer { $0.metadata = ["registration_endpoint": .null] }
    #expect(
      try refusal(server).contains(
        """
        \(server.url) needs an application that is registered with \(server.issuer), and there is none
          hint: register an application there with the redirect URI http://127.0.0.1:8743/callback, and give --set \
        clientID=ID --set issuer=\(server.issuer)
        """))
  }

  @Test("a second sign-in takes the registration of the first; a server that moves gets a new one")
  func migration() throws {
    let server = try ProtectedServer { $0.registration = ["client_secret": "secret-of-the-first"] }
    let other = try ProtectedServer()
    let store = ["--store", program.folder.appending(path: "store").path]
    #expect(try signIn(server, flags: store).status == 0)
    #expect(try signIn(server, flags: store).status == 0)
    #expect(server.requests("/register").count == 1)
    server.change { $0.resource = ["authorization_servers": [.string(other.issuer)]] }
    #expect(try signIn(server, flags: store).status == 0)
    #expect(other.requests("/register").count == 1)
    let seen = other.requests("/token") + other.requests("/authorize") + other.requests("/register")
    for request in seen {
      let text = request.target + String(decoding: request.body, as: UTF8.self) + request.headers.map(\.1).joined()
      #expect(!text.contains("secret-of-the-first") && !text.contains("refresh-token"))
    }
    #expect(server.requests("/token").count == 2)
  }

  // MARK: Issuers

  @Test(
    "an iss in the redirect is compared as text; a promised one must be there; an error with another one is not shown")
  func redirectIssuer() throws {
    let promised: [String: JSON] = [:]
    let silent: [String: JSON] = ["authorization_response_iss_parameter_supported": .null]
    func run(_ metadata: [String: JSON], _ redirect: [String: String?]) throws -> Program.Result {
      try signIn(
        ProtectedServer { state in
          state.metadata = metadata
          state.redirect = redirect
        })
    }
    #expect(try run(promised, [:]).status == 0)
    #expect(try run(silent, [:]).status == 0, "not promised and there: compared")
    #expect(try run(silent, ["iss": nil]).status == 0)
    for metadata in [promised, silent] {
      #expect(try run(metadata, ["iss": "https://evil.example"]).errors.contains("comes from another provider (iss)"))
    }
    #expect(try run(promised, ["iss": nil]).errors.contains("comes from another provider (iss)"))
    let server = try ProtectedServer()
    let other = "\(server.issuer)/"
    server.change { $0.redirect = ["iss": other] }
    #expect(try refusal(server).contains("comes from another provider (iss)"), "no normalization")
    let error: [String: String?] = [
      "code": nil, "error": "access_denied", "error_description": "call 555-0100 to go on", "iss": nil,
    ]
    let missing = try run(promised, error)
    #expect(missing.errors.contains("(iss)") && !missing.errors.contains("555-0100"), "\(missing)")
    let wrong = try run(silent, error.merging(["iss": "https://evil.example"]) { $1 })
    #expect(wrong.errors.contains("(iss)") && !wrong.errors.contains("555-0100"), "\(wrong)")
  }

  @Test("metadata of another issuer or of another resource is refused, and so is a server without PKCE")
  func mismatches() throws {
    let issuer = try ProtectedServer { $0.metadata = ["issuer": "https://evil.example"] }
    #expect(
      try refusal(issuer).contains("names another issuer: expected \"\(issuer.issuer)\", got \"https://evil.example\""))
    let resource = try ProtectedServer { $0.resource = ["resource": "https://evil.example/mcp"] }
    #expect(
      try refusal(resource).contains(
        "is of another resource: expected \"\(resource.url)\", got \"https://evil.example/mcp\""))
    for methods in [JSON.null, ["plain"]] {
      let server = try ProtectedServer { $0.metadata = ["code_challenge_methods_supported": methods] }
      #expect(try refusal(server).contains("does not promise PKCE with S256"))
      #expect(server.requests("/register").isEmpty)
    }
  }

  // MARK: Attacks

  struct Attack: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var message: String
    var change: @Sendable (inout ProtectedServer.State) -> Void

    init(_ name: String, _ message: String, _ change: @escaping @Sendable (inout ProtectedServer.State) -> Void) {
      (testDescription, self.message, self.change) = (name, message, change)
    }
  }

  private static let document = "/.well-known/oauth-protected-resource/mcp"

  static let attacks = [
    Attack("a private address in the challenge", "would be fetched from a private address: 10.0.0.1") {
      $0.challenge = ["resource_metadata": "https://10.0.0.1/metadata"]
    },
    Attack("the address of a cloud's metadata", "would be fetched from a private address: 169.254.169.254") {
      $0.resource = ["authorization_servers": ["https://169.254.169.254/latest"]]
    },
    Attack("a private IPv6 address", "would be fetched from a private address: [fd00::1]") {
      $0.resource = ["authorization_servers": ["https://[fd00::1]/"]]
    },
    Attack("http to another machine", "is not at an https address") {
      $0.resource = ["authorization_servers": ["http://login.example"]]
    },
    Attack("a file", "is not at an https address") { $0.challenge = ["resource_metadata": "file:///etc/passwd"] },
    Attack("a redirect to another server", "redirects to another server, \"http://127.0.0.1:9/steal\"") {
      $0.answers[document] = ServerResponse(status: 302, headers: [("Location", "http://127.0.0.1:9/steal")])
    },
    Attack("a redirect in a circle", "redirects again and again") {
      $0.answers[document] = ServerResponse(status: 302, headers: [("Location", document)])
    },
    Attack("a huge document", "is larger than 64 KiB") {
      $0.resource = ["filler": .string(String(repeating: "x", count: 65 << 10))]
    },
    Attack("a page", "(no JSON object)") {
      $0.answers[document] = ServerResponse(text: "<html></html>", type: "text/html")
    },
    Attack("a list", "(no JSON object)") {
      $0.answers[document] = ServerResponse(text: "[]", type: "application/json")
    },
    Attack("no authorization server", "names no authorization_servers") {
      $0.resource = ["authorization_servers": []]
    },
    Attack("no resource", "has no resource") { $0.resource = ["resource": .null] },
    Attack("a server without a sign-in", "answers without a sign-in") {
      $0.answers["/mcp"] = ServerResponse(text: "{}", type: "application/json")
    },
    Attack("an address without a server", "it answers 404") { $0.answers["/mcp"] = ServerResponse(status: 404) },
    Attack("a token endpoint that is not https", "would send secrets in the clear") {
      $0.metadata = ["token_endpoint": "http://login.example/token"]
    },
  ]

  @Test("a server that lies about its documents gets no code and no token", arguments: attacks)
  func attack(attack: Attack) throws {
    let server = try ProtectedServer(attack.change)
    #expect(try refusal(server).contains(attack.message))
  }

  @Test("a document that does not come in 5 seconds is refused")
  func slow() throws {
    let server = try ProtectedServer()
    var answer = ServerResponse(text: "{}", type: "application/json")
    answer.delay = 30
    server.change { $0.answers[Self.document] = answer }
    #expect(try refusal(server).contains("did not come within 5 seconds"))
  }

  @Test("an address that is not https is refused before anything is sent")
  func plainHTTP() throws {
    let result = try program.run("sign-in", "--mcp", "http://mcp.example/mcp")
    #expect(result.status != 0)
    #expect(
      result.errors.contains(
        """
        "http://mcp.example/mcp" is not the https address of a server
          hint: write it in full, like https://example.com/mcp; http is for servers on this machine alone
        """), "\(result)")
  }
}

@Suite("b2c-run tenant --mcp")
struct TenantMCPTests {
  @Test("signs in for its MCP server, whose tools are the tasks; each token is for one of the two APIs")
  func tools() throws {
    let tenant = try RunningTenant(flags: ["--mcp"])
    let program = try Program()
    let address = try String(#require(tenant.settings.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output)
    let result = try program.run(
      "--allow-net", "-e",
      """
      local b2c, url = require "b2c", "\(address)/mcp"
      local account = b2c.accounts.sign_in {
        mcp = url, agent = "headless", username = "alice", password = "Wonderland-1",
      }
      print(account.name == url, table.concat(account.scopes, " "))

      local function call(method, params, account)
        params._meta = {
          ["io.modelcontextprotocol/protocolVersion"] = "2026-07-28",
          ["io.modelcontextprotocol/clientCapabilities"] = {},
        }
        return b2c.http.request {
          url = url, method = "POST", json = { jsonrpc = "2.0", id = 1, method = method, params = params },
          raise = false, auth = account and { bearer = account:token() } or nil,
          headers = {
            ["MCP-Protocol-Version"] = "2026-07-28",
            ["Mcp-Method"] = method, ["Mcp-Name"] = params.name, Accept = "application/json, text/event-stream",
          },
        }
      end

      print(call("tools/list", {}).status)
      for _, tool in ipairs(call("tools/list", {}, account).json().result.tools) do print(tool.name) end
      local refused = call("tools/call", { name = "add_task", arguments = { text = "Pack" } }, account)
      print(refused.status, refused.headers["www-authenticate"]:match 'scope="([^"]*)"')
      account = b2c.accounts.sign_in {
        mcp = url, agent = "headless", username = "alice", password = "Wonderland-1", account = account,
        for_challenge = {
          code = "insufficient_scope", message = "no",
          details = { scope = refused.headers["www-authenticate"]:match 'scope="([^"]*)"' },
        },
      }
      print(call("tools/call", { name = "add_task", arguments = { text = "Pack" } }, account).json().result.isError)
      local list = call("tools/call", { name = "list_tasks", arguments = {} }, account)
      print(list.json().result.structuredContent.tasks[1].Text)
      print(b2c.http.get("\(address)/api/tasks", { auth = { bearer = account:token() }, raise = false }).status)
      """)
    #expect(
      result.output == """
        true\thttps://contoso.onmicrosoft.com/tasks/read offline_access
        401
        list_tasks
        add_task
        complete_task
        403\thttps://contoso.onmicrosoft.com/tasks/write
        false
        Pack
        401

        """, "\(result)")
  }
}
