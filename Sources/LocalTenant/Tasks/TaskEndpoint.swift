import HTTPServer
import JSON

/// The task API of the tutorial's .NET server, `/api/tasks`, with compatible additions: status 201 with the new task,
/// entity tags, `Idempotency-Key`, and errors as JSON.
struct TaskEndpoint {
  static let longestText = 4000

  let store: TaskStore
  let bearer: BearerCheck
  let behavior: TenantBehavior

  func answer(_ request: ServerRequest, _ rest: [String]) throws -> ServerResponse {
    guard rest.count < 2 else {
      return .error(404, "not_found", "a task's address is /api/tasks/ID, not \(request.path)")
    }
    let id = rest.first
    do {
      switch (request.method, id) {
      case ("GET", nil), ("HEAD", nil): return try list(request)
      case ("POST", nil): return try add(request)
      case ("GET", let id?), ("HEAD", let id?): return try show(request, id)
      case ("PATCH", let id?): return try change(request, id)
      case ("DELETE", let id?): return try remove(request, id)
      default:
        let allowed = id == nil ? "GET, POST" : "GET, PATCH, DELETE"
        return .error(
          405, "method_not_allowed", "\(request.path) takes \(allowed), not \(request.method)",
          headers: [("Allow", allowed)])
      }
    } catch let refusal as TaskRefusal {
      // A quoted string cannot have quotes or backslashes here (RFC 6750 §3).
      let reason = refusal.message.filter { $0 != "\"" && $0 != "\\" && $0.isASCII }
      let headers = refusal.challenges(request, realm: Contoso.domain, reason: ", error_description=\"\(reason)\"")
      return .error(refusal.status, refusal.code ?? "unauthorized", refusal.message, headers: headers)
    }
  }

  private func list(_ request: ServerRequest) throws -> ServerResponse {
    let owner = try bearer.owner(request, permission: "read")
    let tag = store.entityTag(owner)
    let headers = [("ETag", tag), ("Cache-Control", "private, no-cache")]
    if let known = request.header("If-None-Match"), Self.matches(known, tag) {
      return ServerResponse(status: 304, headers: headers)
    }
    return ServerResponse(headers: headers, text: try store.listAsJSON(owner), type: "application/json; charset=utf-8")
  }

  private func show(_ request: ServerRequest, _ id: String) throws -> ServerResponse {
    let owner = try bearer.owner(request, permission: "read")
    guard let number = Int64(id), let item = try store.task(number, of: owner) else { return Self.notFound(id) }
    return Self.answer(item)
  }

  /// Changes the fields that the request names (RFC 7396). With `If-Match`, only the task as the client knows it.
  private func change(_ request: ServerRequest, _ id: String) throws -> ServerResponse {
    let owner = try bearer.owner(request, permission: "write")
    guard let number = Int64(id), let item = try store.task(number, of: owner) else { return Self.notFound(id) }
    if let refusal = Self.refusal(request, item) { return refusal }
    let change = try NewTask(request)
    return Self.answer(try store.change(item, by: change, text: try change.checkedText(item.text)))
  }

  private static func answer(_ item: TenantTask) -> ServerResponse {
    .json(200, json(item), headers: [("Cache-Control", "private, no-cache"), ("ETag", item.entityTag)])
  }

  /// The answer to a client that knows another version of the task.
  private static func refusal(_ request: ServerRequest, _ item: TenantTask) -> ServerResponse? {
    guard let known = request.header("If-Match"), !matches(known, item.entityTag) else { return nil }
    return .error(
      412, "precondition_failed", "the task \(item.id) has changed: its entity tag is \(item.entityTag)",
      headers: [("ETag", item.entityTag)])
  }

  private func add(_ request: ServerRequest) throws -> ServerResponse {
    let owner = try bearer.owner(request, permission: "write")
    let task = try NewTask(request)
    let text = try task.checkedText()
    guard behavior.honorsIdempotencyKeys, let key = request.header("Idempotency-Key") else {
      return Self.created(try store.add(task, text: text, owner: owner))
    }
    guard (1...255).contains(key.utf8.count) else {
      return .error(400, "invalid_idempotency_key", "Idempotency-Key must have between 1 and 255 characters")
    }
    let (item, isNew) = try store.add(task, text: text, owner: owner, key: key)
    guard let item else {
      return .error(422, "idempotency_key_reused", "this Idempotency-Key was used for another task before: \(key)")
    }
    let echo = [("Idempotency-Key", key)]
    return Self.created(item, headers: isNew ? echo : echo + [("Idempotent-Replayed", "true")])
  }

  private func remove(_ request: ServerRequest, _ id: String) throws -> ServerResponse {
    let owner = try bearer.owner(request, permission: "write")
    guard let number = Int64(id), let item = try store.task(number, of: owner) else { return Self.notFound(id) }
    if let refusal = Self.refusal(request, item) { return refusal }
    _ = try store.remove(number, of: owner)
    return ServerResponse(status: 204)
  }

  static func json(_ item: TenantTask) -> JSON {
    let known: [String: JSON] = [
      "Id": .integer(item.id), "Owner": .string(item.owner), "Text": .string(item.text),
      "Completed": .bool(item.isCompleted), "DateModified": .string(item.modified), "ETag": .string(item.entityTag),
    ]
    return .object(item.fields.merging(known) { $1 })
  }

  private static func created(_ item: TenantTask, headers: [(String, String)] = []) -> ServerResponse {
    .json(201, json(item), headers: [("Location", "/api/tasks/\(item.id)")] + headers)
  }

  private static func notFound(_ id: String) -> ServerResponse {
    .error(404, "task_not_found", "there is no task \(id)")
  }

  private static func matches(_ known: String, _ tag: String) -> Bool {
    known.split(separator: ",").contains { $0.trimmingPrefix(" ").trimmingPrefix("W/") == tag || $0 == "*" }
  }
}

/// A token bucket like restify's: requests per second, with a burst of twice as many.
final class TaskThrottle {
  private let clock: TenantClock
  private let behavior: TenantBehavior
  private var rate = 0
  private var left = 0
  private var filled = 0

  init(_ clock: TenantClock, _ behavior: TenantBehavior) {
    self.clock = clock
    self.behavior = behavior
  }

  /// Returns the response to a request above the limit, or nil if the request may pass.
  func refusal() -> ServerResponse? {
    guard let limit = behavior.taskRate else { return nil }
    let now = clock.elapsed
    if limit != rate { (rate, left, filled) = (limit, 2 * limit, now) }
    // Negative times count as zero. Otherwise a clock that was set back would block the API until the old time returns.
    left = min(2 * rate, left + rate * min(2, max(0, now - filled)))
    filled = now
    guard left == 0 else {
      left -= 1
      return nil
    }
    return .error(429, "TooManyRequests", "You have exceeded your request rate of \(rate) r/s.")
  }
}
