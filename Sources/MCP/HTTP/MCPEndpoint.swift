package import HTTPServer
import JSON
import Synchronization

/// The endpoint of a server over HTTP ("Streamable HTTP"): one address that takes a message by POST, and answers with JSON, or with
/// events if messages come before the answer.
///
/// It knows no sign-in: the caller checks the token first, and says who sends the request.
package final class MCPEndpoint: Sendable {
  private let server: MCPServer
  private let places: MCPPlaces
  private let sessions = MCPSessions()

  /// - Parameters:
  ///   - hosts: the hosts with their ports that a request may name besides those of this machine, such as `mcp.example.com`.
  package init(_ server: MCPServer, port: UInt16, hosts: Set<String> = []) {
    self.server = server
    places = MCPPlaces(port: port, hosts: hosts)
  }

  /// The refusal of a request from a page of another site (DNS rebinding); nil for another request. It comes before the check of a
  /// token.
  package func refusal(of request: ServerRequest) -> ServerResponse? {
    guard let problem = places.problem(with: request) else { return nil }
    return Self.response(403, .error(nil, RPCError(.invalidRequest, problem)))
  }

  /// Answers a request to the address of the endpoint.
  /// - Parameter principal: the subject of the token; nil without a sign-in.
  package func response(to request: ServerRequest, principal: String? = nil) -> ServerResponse {
    let pending = PendingResponse()
    answer(request, principal: principal) { pending.finish($0) }
    return .later(pending)
  }

  /// The same for a caller that waits itself: `deliver` gets the response once, from any thread.
  package func answer(
    _ request: ServerRequest, principal: String?, _ deliver: @escaping @Sendable (ServerResponse) -> Void
  ) {
    if let refusal = refusal(of: request) { return deliver(refusal) }
    switch request.method {
    case "POST": post(request, principal, deliver)
    case "DELETE":
      guard let id = request.header("Mcp-Session-Id"), sessions.end(id, of: principal) else {
        return deliver(Self.response(404, .error(nil, RPCError(.invalidRequest, "there is no such session"))))
      }
      deliver(ServerResponse(status: 204))
    default: deliver(ServerResponse(status: 405, headers: [("Allow", "POST, DELETE")]))
    }
  }

  private typealias Deliver = @Sendable (ServerResponse) -> Void

  private func post(_ request: ServerRequest, _ principal: String?, _ deliver: @escaping Deliver) {
    guard request.mediaType == "application/json" else {
      let problem = RPCError(.invalidRequest, "Content-Type: expected application/json")
      return deliver(Self.response(415, .error(nil, problem)))
    }
    var id: RPCID?
    do throws(RPCError) {
      let message = try RPCMessage(parsing: request.body)
      guard case .request(let number, let method, let params) = message else {
        guard let session = try session(of: request, principal) else {
          throw RPCError(.invalidRequest, "expected a request")
        }
        server.take(message, in: session)
        return deliver(ServerResponse(status: 202))
      }
      id = number
      let head = MCPHeaders(request)
      if head.isStateless(params) {
        try head.check(method, params)
        let session = MCPSession(id: principal ?? "stateless", principal: principal)
        return answer(number, method, params, in: session, deliver)
      }
      if method == "initialize" { return begin(number, params, principal, deliver) }
      guard let session = try session(of: request, principal) else {
        throw RPCError(.invalidRequest, "Mcp-Session-Id is missing: begin with initialize, or send _meta")
      }
      answer(number, method, params, in: session, deliver)
    } catch { deliver(Self.response(Self.status(error), .error(id, error))) }
  }

  /// Throws for a session that there is not.
  private func session(of request: ServerRequest, _ principal: String?) throws(RPCError) -> MCPSession? {
    guard let id = request.header("Mcp-Session-Id") else { return nil }
    guard let session = sessions.session(id, of: principal) else { throw MCPSessions.unknown }
    guard let text = request.header("MCP-Protocol-Version") else { return session }
    guard MCPVersion(rawValue: text) == session.version else { throw MCPVersion.unsupported(text) }
    return session
  }

  private func begin(
    _ id: RPCID, _ params: [String: JSON], _ principal: String?, _ deliver: @escaping Deliver
  ) {
    let session = MCPSession(principal: principal)
    answer(id, "initialize", params, in: session) { [sessions] response in
      var response = response
      if session.version != nil {
        sessions.add(session)
        response.headers.append(("Mcp-Session-Id", session.id))
      }
      deliver(response)
    }
  }

  private func answer(
    _ id: RPCID, _ method: String, _ params: [String: JSON], in session: MCPSession, _ deliver: @escaping Deliver
  ) {
    let events = Events()
    session.run(id) { [server] in
      let answer = await server.answer(id, method, params, in: session) { events.add($0) }
      let status = if case .error(_, let error) = answer, session.version == nil { Self.status(error) } else { 200 }
      deliver(events.response(status, answer))
    }
  }

  /// The messages that come before an answer.
  private final class Events: Sendable {
    private let messages = Mutex<[RPCMessage]>([])

    func add(_ message: RPCMessage) { messages.withLock { $0.append(message) } }

    func response(_ status: Int, _ answer: RPCMessage) -> ServerResponse {
      let messages = messages.withLock(\.self)
      guard !messages.isEmpty, status == 200 else { return MCPEndpoint.response(status, answer) }
      let text = (messages + [answer]).map { "event: message\ndata: \($0.json.encoded())\n\n" }.joined()
      return ServerResponse(headers: [("X-Accel-Buffering", "no")], text: text, type: "text/event-stream")
    }
  }

  private static func response(_ status: Int, _ message: RPCMessage) -> ServerResponse {
    ServerResponse(status: status, text: message.json.encoded(), type: "application/json")
  }

  private static func status(_ error: RPCError) -> Int {
    switch RPCError.Code(rawValue: error.code) {
    case .methodNotFound: 404
    case .internalError, .resourceNotFound: 200
    default: error == MCPSessions.unknown ? 404 : 400
    }
  }
}

/// The sessions of versions that begin with `initialize`. The one that was used least recently ends when there are too many.
private final class MCPSessions: Sendable {
  static let unknown = RPCError(.invalidRequest, "there is no such session: begin with initialize")
  private static let most = 200

  private struct State {
    var sessions: [String: MCPSession] = [:]
    var uses: [String: Int] = [:]
    var time = 0
  }

  private let state = Mutex(State())

  func add(_ session: MCPSession) {
    let ended = state.withLock { state -> MCPSession? in
      state.time += 1
      state.sessions[session.id] = session
      state.uses[session.id] = state.time
      guard state.sessions.count > Self.most, let oldest = state.uses.min(by: { $0.value < $1.value })?.key else {
        return nil
      }
      state.uses[oldest] = nil
      return state.sessions.removeValue(forKey: oldest)
    }
    ended?.end()
  }

  /// Nil for a session of somebody else, too.
  func session(_ id: String, of principal: String?) -> MCPSession? {
    state.withLock { state in
      guard let session = state.sessions[id], session.principal == principal else { return nil }
      state.time += 1
      state.uses[id] = state.time
      return session
    }
  }

  func end(_ id: String, of principal: String?) -> Bool {
    guard let session = session(id, of: principal) else { return false }
    state.withLock { ($0.sessions[id], $0.uses[id]) = (nil, nil) }
    session.end()
    return true
  }
}
