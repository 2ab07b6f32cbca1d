import Crypto
import Foundation
package import HTTPServer
package import JSON
import Synchronization

/// An MCP server on loopback at `/mcp` that demands a sign-in, and its authorization server. A test changes their documents.
package final class ProtectedServer: Sendable {
  package struct State: Sendable {
    /// Responses by path, in place of the usual ones.
    package var answers: [String: ServerResponse] = [:]
    /// Changes of the resource metadata. Null removes a member.
    package var resource: [String: JSON] = [:]
    /// Changes of the metadata document of the authorization server.
    package var metadata: [String: JSON] = [:]
    /// Changes of the answer to a registration.
    package var registration: [String: JSON] = [:]
    /// Changes of the redirect's parameters. Nil removes one.
    package var redirect: [String: String?] = [:]
    /// The parameters of the challenge; nil for a 401 without one.
    package var challenge: [String: String]? = [:]
    /// The path of the issuer: `/tenant1`.
    package var issuerPath = ""
    package var requests: [ServerRequest] = []
  }

  private let state = Mutex(State())
  private let server = Mutex<HTTPServer?>(nil)

  package init(_ change: (inout State) -> Void = { _ in }) throws {
    state.withLock { change(&$0) }
    let server = try HTTPServer { [weak self] in self?.answer($0) ?? ServerResponse(status: 500) }
    self.server.withLock { $0 = server }
  }

  deinit { server.withLock { $0?.stop() } }

  package func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  package var origin: String { "http://127.0.0.1:\(server.withLock { $0?.port ?? 0 })" }
  package var url: String { "\(origin)/mcp" }
  package var issuer: String { origin + state.withLock(\.issuerPath) }

  /// The paths of the requests so far, with their methods.
  package var log: [String] { state.withLock { $0.requests.map { "\($0.method) \($0.path)" } } }

  /// The requests to a path.
  package func requests(_ path: String) -> [ServerRequest] {
    state.withLock { $0.requests.filter { $0.path == path } }
  }

  private func answer(_ request: ServerRequest) -> ServerResponse {
    let state = state.withLock { state in
      state.requests.append(request)
      return state
    }
    if let answer = state.answers[request.path] { return answer }
    switch request.path {
    case "/mcp": return challenge(state)
    case "/.well-known/oauth-protected-resource/mcp":
      return json(["resource": .string(url), "authorization_servers": [.string(issuer)]], state.resource)
    case "/.well-known/oauth-authorization-server\(state.issuerPath)": return metadata(state)
    case "/register": return register(request, state)
    case "/authorize": return redirect(request, state)
    case "/token":
      return json(
        [
          "access_token": "token-for-the-server", "token_type": "Bearer", "expires_in": 3600,
          "refresh_token": "refresh-token-for-the-server",
        ], [:])
    default: return ServerResponse(status: 404, text: "nothing here", type: "text/plain")
    }
  }

  private func challenge(_ state: State) -> ServerResponse {
    guard let changes = state.challenge else { return ServerResponse(status: 401) }
    var parameters = ["resource_metadata": "\(origin)/.well-known/oauth-protected-resource/mcp"]
    parameters.merge(changes) { $1 }
    let list = parameters.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }
    return ServerResponse(status: 401, headers: [("WWW-Authenticate", "Bearer \(list.joined(separator: ", "))")])
  }

  private func metadata(_ state: State) -> ServerResponse {
    json(
      [
        "issuer": .string(issuer), "authorization_endpoint": .string("\(origin)/authorize"),
        "token_endpoint": .string("\(origin)/token"), "registration_endpoint": .string("\(origin)/register"),
        "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        "authorization_response_iss_parameter_supported": true,
      ], state.metadata)
  }

  private func register(_ request: ServerRequest, _ state: State) -> ServerResponse {
    var members = (try? JSON(parsing: request.body))?.object ?? [:]
    members["client_id"] = .string("registered-\(requests("/register").count)")
    return json(.object(members), state.registration, status: 201)
  }

  private func redirect(_ request: ServerRequest, _ state: State) -> ServerResponse {
    let asked = Dictionary(request.query) { $1 }
    var fields: [String: String?] = ["code": "the-code", "state": asked["state"], "iss": issuer]
    for (name, value) in state.redirect { fields[name] = .some(value) }
    var address = URLComponents(string: asked["redirect_uri"] ?? "")
    address?.queryItems = fields.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
    return ServerResponse(status: 302, headers: [("Location", address?.string ?? "")])
  }

  private func json(_ json: JSON, _ changes: [String: JSON], status: Int = 200) -> ServerResponse {
    let members = (json.object ?? [:]).merging(changes) { $1 }.filter { $0.value != .null }
    return ServerResponse(status: status, text: JSON.object(members).encoded(), type: "application/json")
  }
}
