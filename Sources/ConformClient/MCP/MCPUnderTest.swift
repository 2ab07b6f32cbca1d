import Conform
import Core
import HTTPClient
import HostLoop
import JSON
import MCP

/// An MCP server that is asked without, with right and with wrong access tokens.
@HostActor
final class MCPUnderTest {
  /// The origin of the right tokens.
  enum Tokens: Sendable { case none, made, given }

  let api: APIUnderTest
  let tokens: Tokens
  let documents: MCPDocuments
  /// The version whose requests the server answers; the newest one before a right token shows that.
  var version: MCPVersion
  let isLoopback: Bool

  init(_ api: APIUnderTest, _ tokens: Tokens, version: MCPVersion) async throws {
    self.api = api
    self.tokens = tokens
    self.version = version
    isLoopback = Origin(api.settings.url)?.isLoopback ?? false
    documents = try await Self.documents(api, version, isLoopback)
    // The run begins without the requests of this one: each check shows its own.
    _ = api.takeEvidence()
  }

  // MARK: Requests

  /// Sends a message without a token.
  func open(
    _ method: String? = nil, _ edit: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> APIUnderTest.Answer { try await ask([], method, edit) }

  /// Sends a message with a token; the right one if there is none in the call.
  func ask(
    bearer token: String? = nil, _ method: String? = nil, _ edit: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> APIUnderTest.Answer {
    try await ask(["Bearer \(try token ?? right())"], method, edit)
  }

  func ask(
    _ authorization: [String], _ method: String? = nil, _ edit: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> APIUnderTest.Answer {
    try await api.ask(authorization) { request in
      Self.write(method, version, to: &request)
      edit(&request)
    }
  }

  /// The answer to a document's address; nil without one.
  static func fetch(_ url: String, _ api: APIUnderTest, _ isLoopback: Bool) async throws -> APIUnderTest.Answer? {
    do {
      return try await api.ask([]) { request in
        request = HTTPRequest(
          url: url, headers: ["Accept": "application/json"], timeout: min(request.timeout, 10), followsRedirects: false,
          maximumBodySize: 256 << 10)
        // The addresses come from the server.
        request.addresses = isLoopback ? .near("127.0.0.1") : .publicOnly
      }
    } catch is EndOfProbe { return nil }
  }

  func fetch(_ url: String) async throws -> APIUnderTest.Answer? { try await Self.fetch(url, api, isLoopback) }

  /// Writes the message of a version: `server/discover` or `initialize` without a method.
  private static func write(_ method: String?, _ version: MCPVersion, to request: inout HTTPRequest) {
    let client: JSON = ["name": "b2c-run conform", "version": "1"]
    let name = method ?? (version.isStateless ? "server/discover" : "initialize")
    var params: [String: JSON] = [:]
    if version.isStateless {
      params["_meta"] = [
        MCPMeta.version: .string(version.rawValue), MCPMeta.client: client, MCPMeta.capabilities: [:],
      ]
      request.headers["Mcp-Method"] = name
    } else if name == "initialize" {
      params = ["protocolVersion": .string(version.rawValue), "capabilities": [:], "clientInfo": client]
    }
    if version.isStateless || name != "initialize" { request.headers["MCP-Protocol-Version"] = version.rawValue }
    request.method = "POST"
    request.headers["Accept"] = "application/json, text/event-stream"
    request.headers["Content-Type"] = "application/json"
    request.body = Array(RPCMessage.request(.number(1), method: name, params: params).json.encoded().utf8)
  }

  // MARK: Tokens

  /// A right token. The check ends without one.
  func right() throws -> String { try token { _ in } }

  /// A token with changes.
  func token(_ edit: (inout TokenDraft) throws -> Void) throws -> String {
    guard tokens != .none else {
      throw EndOfProbe(.skipped("it needs a right token: --token-file, or a server that trusts the local tenant"))
    }
    return try api.token(edit)
  }

  // MARK: Documents

  private static func documents(
    _ api: APIUnderTest, _ version: MCPVersion, _ isLoopback: Bool
  ) async throws -> MCPDocuments {
    let url = api.settings.url
    let challenge = try await api.ask([]) { write(nil, version, to: &$0) }
    let places = MCPDocuments.resourcePlaces(url)
    func place(_ url: String) async throws -> MCPDocuments.Place {
      MCPDocuments.Place(url: url, answer: Origin(url) == nil ? nil : try await fetch(url, api, isLoopback))
    }
    var named: MCPDocuments.Place?
    if let address = challenge.bearer?.parameters["resource_metadata"] { named = try await place(address) }
    let (atPath, atRoot) = (try await place(places.path), try await place(places.root))
    let resource = (named.map { [$0] } ?? [atPath, atRoot]).first { $0.json != nil }
    var servers: [MCPDocuments.Place] = []
    if let issuer = resource?.json?["authorization_servers"]?.array?.first?.string, Origin(issuer) != nil {
      for url in MCPDocuments.serverPlaces(issuer) { servers.append(try await place(url)) }
    }
    return MCPDocuments(challenge: challenge, named: named, atPath: atPath, atRoot: atRoot, servers: servers)
  }
}
