import HTTPServer
import JSON
import Synchronization

/// A task server that implements one of the two contracts and records its requests.
final class StubTaskServer: Sendable {
  enum Dialect: Sendable {
    /// .NET: numbers as IDs, 204 for a new task, no multipart.
    case net
    /// Node: `_id`, 201 with the task, DELETE by owner and ID.
    case node
  }

  private struct State {
    var texts: [(id: Int, text: String)] = []
    var requests: [ServerRequest] = []
    var scripted: [ServerResponse]
    var validTokens: Set<String> = ["good"]
  }

  private final class Memory: Sendable {
    let state: Mutex<State>
    init(_ state: State) { self.state = Mutex(state) }
  }

  private let memory: Memory
  private let server: HTTPServer

  /// The server sends the `scripted` responses first, in order, to any requests.
  init(_ dialect: Dialect = .net, scripted: [ServerResponse] = []) throws {
    let memory = Memory(State(scripted: scripted))
    self.memory = memory
    server = try HTTPServer { request in
      memory.state.withLock { Self.answer(request, dialect, &$0) }
    }
  }

  var url: String { "http://127.0.0.1:\(server.port)" }
  var requests: [ServerRequest] { memory.state.withLock { $0.requests } }
  func accept(tokens: Set<String>) { memory.state.withLock { $0.validTokens = tokens } }
  func stop() { server.stop() }

  private static func answer(_ request: ServerRequest, _ dialect: Dialect, _ state: inout State) -> ServerResponse {
    state.requests.append(request)
    if !state.scripted.isEmpty { return state.scripted.removeFirst() }
    guard let token = request.header("Authorization")?.split(separator: " ").last,
      state.validTokens.contains(String(token))
    else {
      return ServerResponse(
        status: 401,
        headers: [("WWW-Authenticate", #"Bearer error="invalid_token", error_description="It has expired""#)])
    }
    switch (request.method, request.path.split(separator: "/").dropFirst(2).map(String.init)) {
    case ("GET", []):
      return json(200, .array(state.texts.map { task($0.id, $0.text, dialect) }))
    case ("POST", []):
      return add(request, dialect, &state)
    case ("DELETE", let parts):
      let id = dialect == .net ? parts.first : parts.count == 2 && parts[0] == "alice o'hara" ? parts[1] : nil
      guard let id, let index = state.texts.firstIndex(where: { identifier($0.id, dialect) == id }) else {
        return json(404, ["code": "ResourceNotFound", "message": .string("\(request.path) does not exist")])
      }
      state.texts.remove(at: index)
      return ServerResponse(status: 204)
    default:
      return ServerResponse(status: 405)
    }
  }

  private static func add(_ request: ServerRequest, _ dialect: Dialect, _ state: inout State) -> ServerResponse {
    let text: String?
    switch request.mediaType {
    case "application/json":
      text = (try? JSON(parsing: request.body))?["Text"]?.string
    case "application/x-www-form-urlencoded":
      text = request.form.first { $0.0 == "Text" }?.1
    case "multipart/form-data" where dialect == .node:
      text = multipartText(request)
    default:
      return ServerResponse(status: 415)
    }
    guard let text, !text.isEmpty else {
      return dialect == .net
        ? ServerResponse(status: 500, text: "Cannot insert NULL into column Text", type: "text/plain")
        : json(409, ["code": "MissingTask", "message": "Text is a required parameter"])
    }
    let id = (state.texts.last?.id ?? 0) + 1
    state.texts.append((id, text))
    return dialect == .net ? ServerResponse(status: 204) : json(201, task(id, text, dialect))
  }

  /// Reads the one shape of RFC 7578 that is certain: boundary, header, empty line, value, boundary.
  private static func multipartText(_ request: ServerRequest) -> String? {
    guard let boundary = request.header("Content-Type")?.split(separator: "boundary=").last else { return nil }
    let body = String(decoding: request.body, as: UTF8.self)
    guard body.hasSuffix("\r\n--\(boundary)--\r\n") else { return nil }
    let parts = body.split(separator: "--\(boundary)\r\n")
    let head = "Content-Disposition: form-data; name=\"Text\"\r\n\r\n"
    guard let part = parts.first(where: { $0.hasPrefix(head) }) else { return nil }
    return part.dropFirst(head.count).split(separator: "\r\n--\(boundary)").first.map(String.init)
  }

  private static func identifier(_ id: Int, _ dialect: Dialect) -> String {
    dialect == .net ? String(id) : "57a\(id)"
  }

  private static func task(_ id: Int, _ text: String, _ dialect: Dialect) -> JSON {
    switch dialect {
    case .net:
      [
        "Id": .integer(Int64(id)), "Owner": "0000-1", "Text": .string(text), "Completed": false,
        "DateModified": "2016-03-01T10:20:30Z",
      ]
    case .node:
      [
        "_id": .string(identifier(id, dialect)), "owner": "alice o'hara", "Text": .string(text), "completed": false,
        "date": "2016-03-01T10:20:30.000Z", "__v": 0,
      ]
    }
  }

  private static func json(_ status: Int, _ body: JSON) -> ServerResponse {
    ServerResponse(status: status, text: body.encoded(), type: "application/json; charset=utf-8")
  }
}
