import HTTPServer
import JSON

/// The tutorial's Node server (restify): other names, the 20 oldest tasks, no entity tags, no idempotency keys. Of the further fields
/// it keeps the key of an import.
struct NodeTaskEndpoint {
  private static let shown = 20

  let store: TaskStore
  let bearer: BearerCheck

  func answer(_ request: ServerRequest, _ rest: [String]) throws -> ServerResponse {
    do {
      switch (request.method, rest.count) {
      case ("GET", 0), ("HEAD", 0): return try list(request)
      case ("POST", 0): return try add(request)
      case ("DELETE", 2): return try remove(request, owner: rest[0], id: rest[1])
      default:
        let allowed = ["GET, POST", "", "DELETE"][rest.count]
        guard !allowed.isEmpty else { return .error(404, "ResourceNotFound", "\(request.path) does not exist") }
        return .error(405, "MethodNotAllowed", "\(request.method) is not allowed", headers: [("Allow", allowed)])
      }
    } catch let refusal as TaskRefusal {
      let code = [401: "Unauthorized", 403: "Forbidden", 415: "UnsupportedMediaType"][refusal.status]
      return .error(
        refusal.status, code ?? "InvalidContent", refusal.message, headers: refusal.challenges(request, realm: "Users"))
    }
  }

  private func list(_ request: ServerRequest) throws -> ServerResponse {
    let owner = try bearer.owner(request, permission: "read")
    return .json(200, .array(try store.list(owner, atMost: Self.shown).map(Self.json)))
  }

  private func add(_ request: ServerRequest) throws -> ServerResponse {
    let owner = try bearer.owner(request, permission: "write")
    let task = try NewTask(request, takesMultipart: true)
    guard let text = task.text, !text.isEmpty else {
      return .error(409, "MissingTask", "\"task\" is a required parameter")
    }
    return .json(201, Self.json(try store.add(task, text: text, owner: owner)))
  }

  private func remove(_ request: ServerRequest, owner: String, id: String) throws -> ServerResponse {
    let caller = try bearer.owner(request, permission: "write")
    guard owner == caller, let number = Self.number(id), try store.remove(number, of: caller) else {
      return .error(404, "TaskNotFound", "\(id) was not found")
    }
    return ServerResponse(status: 204)
  }

  static func json(_ item: TenantTask) -> JSON {
    let known: [String: JSON] = [
      "_id": .string(id(item)), "owner": .string(item.owner), "Text": .string(item.text),
      "completed": .bool(item.isCompleted), "date": .string(item.modified), "__v": 0,
    ]
    return .object(item.fields.filter { $0.key == TaskFields.keyName }.merging(known) { $1 })
  }

  /// An ID like MongoDB's: 24 hexadecimal digits, with the time in the first eight.
  private static func id(_ item: TenantTask) -> String { hexadecimal(item.time, 8) + hexadecimal(Int(item.id), 16) }

  private static func number(_ id: String) -> Int64? { id.utf8.count == 24 ? Int64(id.dropFirst(8), radix: 16) : nil }

  private static func hexadecimal(_ value: Int, _ width: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
