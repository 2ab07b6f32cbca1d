import Core
import HTTPClient
import HostLoop
import JSON
import MCP

/// The messages of a connection as requests of HTTP.
@HostActor
final class MCPWire {
  /// The seconds that an answer may take to end behind its result, before the connection is closed.
  private static let grace = 1.0

  let client: MCPImplementation
  private let url: String
  private let timeout: Double
  private let canAsk: Bool
  let send: MCPConnection.Send
  private var lastID: Int64 = 0

  init(url: String, client: MCPImplementation, timeout: Double, canAsk: Bool, send: @escaping MCPConnection.Send) {
    self.url = url
    self.client = client
    self.timeout = timeout
    self.canAsk = canAsk
    self.send = send
  }

  var capabilities: JSON { canAsk ? ["elicitation": ["form": [:]]] : [:] }

  // MARK: The version without sessions

  /// The parameters with the version and the client.
  func stateless(_ params: [String: JSON]) -> [String: JSON] {
    var params = params
    var meta = params["_meta"]?.object ?? [:]
    meta[MCPMeta.version] = .string(MCPVersion.stateless.rawValue)
    meta[MCPMeta.client] = client.json
    meta[MCPMeta.capabilities] = capabilities
    params["_meta"] = .object(meta)
    return params
  }

  /// The header fields that repeat parts of the body.
  func headers(_ version: MCPVersion, _ method: String, _ params: [String: JSON]) -> HTTPHeaders {
    var headers: HTTPHeaders = ["MCP-Protocol-Version": version.rawValue, "Mcp-Method": method]
    headers["Mcp-Name"] = params[method == "resources/read" ? "uri" : "name"]?.string.map(MCPHeaderText.encoded)
    return headers
  }

  // MARK: Messages

  /// The result of a request, with the header fields of its response.
  struct Answer: Sendable {
    let result: JSON
    let headers: HTTPHeaders
  }

  func httpRequest(_ method: String, _ headers: HTTPHeaders, _ message: RPCMessage? = nil) -> HTTPRequest {
    var request = HTTPRequest(
      method: method, url: url, headers: headers, body: message.map { Array($0.json.encoded().utf8) }, timeout: timeout,
      followsRedirects: false, maximumBodySize: 1 << 20)
    request.headers["Accept"] = "application/json, text/event-stream"
    if message != nil { request.headers["Content-Type"] = "application/json" }
    return request
  }

  /// Sends a message that has no answer.
  func tell(_ message: RPCMessage, _ headers: HTTPHeaders) async throws {
    let response = try await send(httpRequest("POST", headers, message))
    guard (200..<300).contains(response.status) else { throw failure(response) }
  }

  /// Sends a request, and takes the messages that come before its result.
  func request(
    _ method: String, _ params: [String: JSON], _ headers: HTTPHeaders, _ listeners: MCPConnection.Listeners
  ) async throws -> Answer {
    lastID += 1
    let id = RPCID.number(lastID)
    var params = params
    if listeners.progress != nil {
      var meta = params["_meta"]?.object ?? [:]
      meta[MCPMeta.progressToken] = id.json
      params["_meta"] = .object(meta)
    }
    let reader = AnswerReader(id)
    var request = httpRequest("POST", headers, .request(id, method: method, params: params))
    request.onBody = { reader.take($0) }
    do { return try await exchange(request, reader, headers, listeners, id) } catch is CancellationError {
      if headers["Mcp-Session-Id"] != nil { cancel(id, headers) }
      throw CancellationError()
    }
  }

  private func exchange(
    _ request: HTTPRequest, _ reader: AnswerReader, _ headers: HTTPHeaders, _ listeners: MCPConnection.Listeners,
    _ id: RPCID
  ) async throws -> Answer {
    let exchange = HostActor.task { [send] in
      do {
        let response = try await send(request)
        if response.status == 200 { reader.end() } else { reader.fail(self.failure(response)) }
        return response.headers
      } catch {
        reader.fail(error)
        throw error
      }
    }
    defer { exchange.cancel() }
    return try await withTaskCancellationHandler {
      var result: Result<JSON, RPCError>?
      for try await message in reader.messages {
        switch message {
        case .result(_, let value): result = .success(value)
        case .error(_, let error): result = .failure(error)
        default: try await handle(message, headers, listeners, id)
        }
      }
      try Task.checkCancellation()
      guard let result else { throw CancellationError() }
      do {
        // A server that keeps its events open behind the result is not waited for.
        let timer = HostLoop.shared.schedule(after: Self.grace) { exchange.cancel() }
        defer { HostLoop.shared.cancel(timer) }
        return Answer(result: try result.get(), headers: (try? await exchange.value) ?? [:])
      } catch let error as RPCError { throw Self.failure(error, status: nil) }
    } onCancel: {
      exchange.cancel()
    }
  }

  private func handle(
    _ message: RPCMessage, _ headers: HTTPHeaders, _ listeners: MCPConnection.Listeners, _ id: RPCID
  ) async throws {
    switch message {
    case .notification("notifications/progress", let params):
      guard RPCID(params[MCPMeta.progressToken]) == id, let done = params["progress"]?.anyNumber else { return }
      try await listeners.progress?(
        MCPProgress(done: done, total: params["total"]?.anyNumber, message: params["message"]?.string))
    case .request(let asked, "elicitation/create", let params):
      try await tell(.result(asked, .object(try await answer("", params, listeners.question))), headers)
    case .request(let asked, "ping", _): try await tell(.result(asked, [:]), headers)
    case .request(let asked, let method, _):
      try await tell(.error(asked, RPCError(.methodNotFound, "this client has no method '\(method)'")), headers)
    case .notification, .result, .error: break
    }
  }

  /// Asks the person. Returns the answer as JSON.
  func answer(
    _ key: String, _ params: [String: JSON], _ listener: MCPConnection.Question?
  ) async throws -> [String: JSON] {
    let message = params["message"]?.string ?? ""
    guard let listener, params["mode"] == nil || params["mode"] == "form" else {
      throw MCPClientError(
        .question, "the server asks the person, and nobody answers: \(message.displayable.prefix(200))",
        hint: "answer it by the option on_question of b2c.mcp.connect")
    }
    let reply = try await listener(MCPQuestion(key, message, schema: params["requestedSchema"] ?? ["type": "object"]))
    return reply.json
  }

  /// Tells the server that nobody waits for the answer. The call has ended, so that nothing waits for this message, and nobody
  /// hears of its failure.
  private func cancel(_ id: RPCID, _ headers: HTTPHeaders) {
    let message = RPCMessage.notification(method: "notifications/cancelled", params: ["requestId": id.json])
    var request = httpRequest("POST", headers, message)
    request.timeout = Self.grace
    HostActor.task { [send, request] in _ = try await send(request) }
  }

  // MARK: Failures

  /// The error of an answer with another status than 200.
  private func failure(_ response: HTTPResponse) -> MCPClientError {
    if let message = try? RPCMessage(parsing: response.body), case .error(_, let error) = message {
      return Self.failure(error, status: response.status)
    }
    let text = response.text.split(whereSeparator: \.isNewline).first.map { ": \($0.prefix(200))" } ?? ""
    let place = response.headers["Location"].map { " to \(WebAddress($0).shown)" } ?? ""
    return MCPClientError(
      .status, "\(WebAddress(url).shown) answered \(response.status)\(place)\(text.displayable)",
      hint: (300..<400).contains(response.status) ? "give the address to which the server redirects" : nil,
      status: response.status)
  }

  private static func failure(_ error: RPCError, status: Int?) -> MCPClientError {
    var details = ["rpc_code": String(error.code)]
    details["data"] = error.data?.encoded()
    return MCPClientError(
      .serverError, "the server refuses it: \(error.message.displayable)", status: status, details: details)
  }
}
