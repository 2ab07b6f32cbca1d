import Conform
import HTTPServer
import HostLoop
import JSON
import LocalTenant
import Testing

@testable import ConformClient

/// The checks of MCP servers: the local tenant is not accused, and each planted fault is found.
@HostActor @Suite struct MCPServerTests {
  private func verdicts(
    _ lie: Lie, _ checks: [MCPCheck] = MCPCheck.all, version: String? = nil
  ) async throws -> [Verdict] {
    var settings = APIUnderTest.Settings(url: "")
    settings.timeout = 5
    let conform = MCPConform(settings, at: .local(lie), audience: nil, scopes: nil, version: version, checks)
    let result = try await conform.run { _, _ in }
    #expect(result.signInProblem == nil)
    return result.verdicts
  }

  @Test(arguments: [nil, "2025-11-25", "2025-06-18"])
  func anHonestServerIsNotAccused(version: String?) async throws {
    let verdicts = try await verdicts(.none, version: version)
    #expect(
      verdicts.filter { $0.outcome == .failed || $0.outcome == .unclear }.map { "\($0.check.id): \($0.detail)" } == [])
  }

  @Test func aServerWithoutATokenIsJudgedByItsDocuments() async throws {
    let tenant = try LyingTenant(.none, keys: try TenantKeys(), kind: .externalID, isMCP: true)
    defer { tenant.tenant.stop() }
    let settings = APIUnderTest.Settings(url: "\(tenant.tenant.url)/mcp")
    let checks = MCPCheck.all.filter { $0.check.danger == .passive }
    let conform = MCPConform(settings, at: .foreign, audience: nil, scopes: nil, version: nil, checks)
    let verdicts = try await conform.run { _, _ in }.verdicts
    #expect(verdicts.count > 40)
    #expect(
      verdicts.filter { $0.outcome == .failed || $0.outcome == .unclear }.map { "\($0.check.id): \($0.detail)" } == [])
  }

  @Test func aServerThatIsNotThereIsNotJudged() async throws {
    var settings = APIUnderTest.Settings(url: "http://127.0.0.1:9/mcp")
    settings.timeout = 0.1
    let conform = MCPConform(settings, at: .foreign, audience: nil, scopes: nil, version: nil, MCPCheck.all)
    #expect(try await conform.run { _, _ in }.end == .signInFailed)
  }

  /// The checks that no fault of the tenant reaches: a run begins with a right token, and plain HTTP needs another host.
  private static let beyond: Set = ["mcp.tokens.right", "mcp.transport.plain"]

  @Test func eachFaultIsFound() async throws {
    var found: Set<String> = []
    for fault in MCPFault.all {
      let checks = MCPCheck.all.filter { !found.contains($0.check.id) }
      let hits = try await verdicts(fault.lie, checks).filter(\.isBroken).map(\.check.id)
      for check in fault.checks { #expect(hits.contains(check) || found.contains(check), "\(fault.name): \(check)") }
      found.formUnion(hits)
    }
    let all = Set(MCPCheck.all.map(\.check.id))
    print("conform mcp: \(found.count) of \(all.count) checks found their planted fault")
    #expect(all.subtracting(found).subtracting(Self.beyond).sorted() == [])
  }
}

/// A fault of the local tenant as an MCP server, and checks that find it.
private struct MCPFault {
  let name: String
  let checks: [String]
  let lie: Lie

  init(_ name: String, _ checks: [String], _ lie: Lie) { (self.name, self.checks, self.lie) = (name, checks, lie) }

  private static let anything = ServerResponse(text: "{}", type: "application/json")

  /// Changes the responses of the server with this status.
  private static func server(
    _ status: Int? = nil, _ edit: @escaping @Sendable (inout ServerResponse, ServerRequest) throws -> Void
  ) -> Lie {
    .response(.mcp) { response, place in
      guard status == nil || response.status == status else { throw NoLie() }
      try edit(&response, place.request)
    }
  }

  /// Changes the text of the challenge.
  private static func challenge(_ edit: @escaping @Sendable (String, LiePlace) -> String?) -> Lie {
    .response(.mcp) { response, place in
      guard response.status == 401 else { throw NoLie() }
      response.headers = response.headers.compactMap { name, value in
        name == "WWW-Authenticate" ? edit(value, place).map { (name, $0) } : (name, value)
      }
    }
  }

  private static func resource(_ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void) -> Lie {
    .json(.resource, edit)
  }

  static let all: [MCPFault] = challenges + tokens + documents + servers

  private static let challenges = [
    MCPFault("no challenge", ["mcp.challenge.header", "mcp.challenge.resource-metadata"], challenge { _, _ in nil }),
    MCPFault(
      "metadata at another origin", ["mcp.challenge.resource-metadata-address"],
      challenge { text, place in
        text.replacing(place.origin, with: place.otherOrigin)
      }),
    MCPFault(
      "an error without a token", ["mcp.challenge.no-error"],
      challenge { text, _ in
        text.replacing("Bearer ", with: "Bearer error=\"invalid_token\", ")
      }),
    MCPFault(
      "the scope offline_access", ["mcp.challenge.no-offline-access"],
      challenge { text, _ in
        text.replacing("scope=\"", with: "scope=\"offline_access ")
      }),
    MCPFault("no scope", ["mcp.challenge.scope"], challenge { text, _ in text.replacing("scope=", with: "hint=") }),
    MCPFault(
      "another code for wrong tokens", ["mcp.answers.code", "mcp.answers.metadata"],
      .response(.mcp) { response, place in
        guard response.status == 401, place.request.header("Authorization") != nil else { throw NoLie() }
        response.headers = [("WWW-Authenticate", "Bearer error=\"invalid_request\"")]
      }),
    MCPFault(
      "the token in the answer", ["mcp.answers.echo"],
      server(401) { response, request in
        response.body = Array((request.header("Authorization") ?? "").utf8)
      }),
    MCPFault(
      "a failure at long tokens", ["mcp.answers.long"],
      server { response, request in
        guard (request.header("Authorization") ?? "").utf8.count > 12_000 else { throw NoLie() }
        response = ServerResponse(status: 500)
      }),
    MCPFault("401 for missing scopes", ["mcp.answers.scope"], server(403) { response, _ in response.status = 401 }),
  ]

  private static let tokens = [
    MCPFault(
      "each token, and none",
      ["mcp.challenge.status", "mcp.tokens.audience-other", "mcp.tokens.expired", "mcp.tokens.query"],
      server(401) { response, _ in response = anything }),
    MCPFault(
      "each host and origin", ["mcp.rebinding.origin", "mcp.rebinding.host"],
      server(403) { response, _ in
        response = anything
      }),
    MCPFault(
      "the scheme Bearer alone", ["mcp.tokens.scheme-case"],
      server { response, request in
        guard request.header("Authorization")?.hasPrefix("bearer ") == true else { throw NoLie() }
        response = ServerResponse(status: 401)
      }),
    MCPFault(
      "one audience alone", ["mcp.tokens.audience-list"],
      server { response, request in
        let token = try TokenDraft(String((request.header("Authorization") ?? "").dropFirst(7)))
        guard token.claims["aud"]?.array != nil else { throw NoLie() }
        response = ServerResponse(status: 401)
      }),
    MCPFault(
      "an answer to everything", ["mcp.transport.version", "mcp.transport.method"],
      server { response, request in
        guard request.header("Authorization") != nil else { throw NoLie() }
        response = anything
      }),
    MCPFault(
      "the same session for all", ["mcp.sessions.random", "mcp.sessions.characters"],
      server { response, request in
        guard request.header("Authorization") != nil,
          String(decoding: request.body, as: UTF8.self).contains("\"initialize\"")
        else { throw NoLie() }
        response = anything
        response.headers.append(("Mcp-Session-Id", "session é"))
      }),
    MCPFault(
      "sessions without their users", ["mcp.sessions.other-user", "mcp.sessions.unknown"],
      server { response, request in
        guard request.header("Mcp-Session-Id") != nil else { throw NoLie() }
        response = anything
      }),
  ]

  private static let documents = [
    MCPFault("no resource metadata", ["mcp.resource.found", "mcp.resource.well-known"], .error(.resource, 404, [:])),
    MCPFault(
      "two documents", ["mcp.resource.same"],
      challenge { text, place in
        text.replacing("oauth-protected-resource/mcp", with: "oauth-protected-resource")
      }.and(
        resource { members, place in
          guard place.request.path.hasSuffix("/mcp") else { throw NoLie() }
          members["resource_name"] = "another"
        })),
    MCPFault(
      "a page", ["mcp.resource.type"],
      .response(.resource) { response, _ in response.headers = [("Content-Type", "text/plain")] }),
    MCPFault(
      "another resource", ["mcp.resource.resource"],
      resource { members, _ in
        members["resource"] = "https://other.example/mcp"
      }),
    MCPFault(
      "a fragment", ["mcp.resource.canonical"],
      resource { members, place in
        members["resource"] = .string("\(place.origin)/mcp#fragment")
      }),
    MCPFault(
      "no servers", ["mcp.resource.servers", "mcp.resource.scopes"],
      resource { members, _ in
        members["authorization_servers"] = []
        members["scopes_supported"] = nil
      }),
    MCPFault(
      "a server by http", ["mcp.resource.servers-https"],
      resource { members, _ in
        members["authorization_servers"] = ["http://login.example"]
      }),
    MCPFault(
      "tokens in queries", ["mcp.resource.bearer-methods"],
      resource { members, _ in
        members["bearer_methods_supported"] = ["header", "query"]
      }),
    MCPFault(
      "metadata for each host", ["mcp.rebinding.metadata-host"],
      .response(.resource) { response, place in
        guard place.request.header("Host") == "attacker.example" else { throw NoLie() }
        response = ServerResponse(text: "{\"resource\":\"http://attacker.example/mcp\"}", type: "application/json")
      }),
    MCPFault(
      "nothing for browsers", ["mcp.resource.cors"],
      .response(.resource) { response, _ in
        response.headers.removeAll { $0.0.lowercased().hasPrefix("access-control") }
      }),
  ]

  private static let servers = [
    MCPFault(
      "no metadata of the server", ["mcp.authorization.found", "mcp.authorization.place"], .error(.metadata, 404, [:])),
    MCPFault(
      "two issuers", ["mcp.authorization.same"],
      .metadata { members, place in
        guard place.request.path.contains("openid") else { throw NoLie() }
        members["issuer"] = "https://other.example"
      }),
    MCPFault(
      "a poor document",
      [
        "mcp.authorization.issuer", "mcp.authorization.s256", "mcp.authorization.code",
        "mcp.authorization.registration",
        "mcp.authorization.client-documents", "mcp.authorization.public-clients", "mcp.authorization.iss",
        "mcp.authorization.token-endpoint", "mcp.authorization.authorization-endpoint", "mcp.authorization.scopes",
      ],
      .metadata { members, _ in members = ["issuer": "https://other.example", "scopes_supported": ["openid"]] }),
    MCPFault(
      "a registration by http", ["mcp.authorization.registration-endpoint"],
      .metadata { members, _ in
        members["registration_endpoint"] = "http://login.example/register"
      }),
  ]
}
