import Core
import HTTPServer
import HostLoop
import JSON
import JobServer
import MCP
import OAuth

/// The server for agents over HTTP, on this machine: each request has an access token of a person who is named.
@HostActor
final class AgentWebServer {
  private static let path = "/mcp"
  private static let metadataPath = "/.well-known/oauth-protected-resource"

  private let endpoint: MCPEndpoint
  private let admission: TokenAdmission
  private let scopes: [String]

  init(_ server: MCPServer, port: UInt16, _ admission: TokenAdmission, scopes: [String]) {
    endpoint = MCPEndpoint(server, port: port)
    self.admission = admission
    self.scopes = scopes
  }

  /// The handler of an HTTP server.
  nonisolated func handle(_ request: ServerRequest) -> ServerResponse {
    // Pages of other sites learn nothing, not even the provider.
    if let refusal = endpoint.refusal(of: request) { return refusal }
    let pending = PendingResponse()
    HostActor.task { pending.finish(await self.answer(request)) }
    return .later(pending)
  }

  private func answer(_ request: ServerRequest) async -> ServerResponse {
    let address = "http://\(request.header("Host") ?? "")"
    if [Self.metadataPath, Self.metadataPath + Self.path].contains(request.path) { return await metadata(address) }
    guard request.path == Self.path else { return ServerResponse(status: 404) }
    guard let value = request.header("Authorization"), value.lowercased().hasPrefix("bearer ") else {
      return challenge(address, nil)
    }
    do throws(TokenAdmission.Refusal) {
      let subject = try await admission.subject(of: String(value.dropFirst(7)))
      return await response(to: request, subject)
    } catch {
      switch error {
      case .invalid: return challenge(address, "invalid_token")
      case .notNamed(let subject):
        return ServerResponse(
          status: 403, text: "\(subject.displayable) may not use this server: --allow-subject names who may\n",
          type: "text/plain; charset=utf-8")
      }
    }
  }

  /// The response of the endpoint, which may come later.
  private func response(to request: ServerRequest, _ subject: String) async -> ServerResponse {
    await withCheckedContinuation { continuation in
      endpoint.answer(request, principal: subject) { continuation.resume(returning: $0) }
    }
  }

  /// The metadata of the protected resource (RFC 9728).
  private func metadata(_ address: String) async -> ServerResponse {
    do {
      let issuer = try await admission.provider.metadata().issuer
      let json: JSON = [
        "resource": .string(address + Self.path), "authorization_servers": [.string(issuer)],
        "scopes_supported": .array(scopes.map(JSON.string)), "bearer_methods_supported": ["header"],
      ]
      return ServerResponse(
        headers: [("Cache-Control", "no-store")], text: json.encoded(), type: "application/json")
    } catch {
      return ServerResponse(
        status: 503, text: "the provider cannot be reached: \(error.message)\n", type: "text/plain; charset=utf-8")
    }
  }

  /// 401 with the place of the metadata (RFC 9728, 5.1).
  private func challenge(_ address: String, _ error: String?) -> ServerResponse {
    var words = ["resource_metadata=\"\(address)\(Self.metadataPath)\(Self.path)\""]
    if let error { words.insert("error=\"\(error)\"", at: 0) }
    if !scopes.isEmpty { words.append("scope=\"\(scopes.joined(separator: " "))\"") }
    return ServerResponse(
      status: 401, headers: [("WWW-Authenticate", "Bearer \(words.joined(separator: ", "))")],
      text: "an access token is necessary\n", type: "text/plain; charset=utf-8")
  }
}
