package import Foundation
import HTTPServer
package import JSON
import Synchronization

/// A task API on loopback whose tasks can be read, changed and removed one by one. It takes any token, honors idempotency keys,
/// notes each write without a right version as blind, and can end the program at a request.
package final class ChangingTaskServer: Sendable {
  /// Ends the process of the client at the request of that number, counting from 1.
  package struct Kill: Sendable {
    package let request: Int
    /// True if the request is carried out first.
    package let isAfter: Bool

    package init(request: Int, isAfter: Bool) { (self.request, self.isAfter) = (request, isAfter) }
  }

  private struct State {
    var tasks: [Int: [String: JSON]] = [:]
    var versions: [Int: Int] = [:]
    var keys: [String: Int] = [:]
    var last = 0
    var requests = 0
    var kill: Kill?
    var process: pid_t = 0
    /// The versions that were read by `GET` of single tasks or of the list, for a server without entity tags.
    var read: [Int: Int] = [:]
    var blind: [String] = []
    var writes: [String] = []
  }

  private let state = Mutex(State())
  private let server = Mutex<HTTPServer?>(nil)
  /// True if tasks have entity tags.
  private let hasTags: Bool

  package init(hasTags: Bool = true) throws {
    self.hasTags = hasTags
    let server = try HTTPServer(port: 0) { [weak self] in self?.answer($0) ?? ServerResponse(status: 500) }
    self.server.withLock { $0 = server }
  }

  deinit { server.withLock { $0?.stop() } }

  package var url: String { "http://127.0.0.1:\(server.withLock { $0?.port ?? 0 })" }
  package var requests: Int { state.withLock(\.requests) }
  /// The changes and removals that somebody's change could have been lost by.
  package var blind: [String] { state.withLock(\.blind) }
  /// The methods and IDs of all writes that were carried out.
  package var writes: [String] { state.withLock(\.writes) }

  /// The tasks as texts `Text|Due|Notes`, sorted.
  package var tasks: [String] {
    state.withLock { state in
      state.tasks.values.map { task in
        ["Text", "Due", "Notes"].map { task[$0]?.string ?? "" }.joined(separator: "|")
      }.sorted()
    }
  }

  /// From now on, counting the requests anew.
  package func kill(_ process: pid_t, at kill: Kill?) {
    state.withLock { ($0.process, $0.kill, $0.requests) = (process, kill, 0) }
  }

  /// Has these tasks alone, and forgets the rest.
  package func reset(_ tasks: [[String: JSON]]) {
    state.withLock { state in
      state = State()
      for task in tasks {
        state.last += 1
        (state.tasks[state.last], state.versions[state.last]) = (task, 1)
      }
    }
  }

  /// Somebody else adds a task, or changes the one with that text.
  package func change(_ text: String, _ fields: [String: JSON]) {
    state.withLock { state in
      if let id = state.tasks.first(where: { $0.value["Text"] == .string(text) })?.key {
        state.tasks[id]?.merge(fields) { $1 }
        state.versions[id, default: 0] += 1
      } else {
        state.last += 1
        state.tasks[state.last] = fields.merging(["Text": .string(text)]) { $1 }
        state.versions[state.last] = 1
      }
    }
  }

  package func remove(_ text: String) {
    state.withLock { state in state.tasks = state.tasks.filter { $0.value["Text"] != .string(text) } }
  }

  /// Settings of a tenant, with this task API.
  package func replace(_ settings: String) -> String {
    settings.replacing(
      #/<key>taskAPI</key>\s*<string>[^<]*</string>/#, with: "<key>taskAPI</key><string>\(url)</string>")
  }

  private func answer(_ request: ServerRequest) -> ServerResponse {
    let (isKill, isAfter) = state.withLock { state in
      state.requests += 1
      return (state.kill?.request == state.requests, state.kill?.isAfter ?? false)
    }
    if isKill, !isAfter { return end() }
    let response = state.withLock { act(request, &$0) }
    return isKill ? end() : response
  }

  private func end() -> ServerResponse {
    _ = Foundation.kill(state.withLock(\.process), SIGKILL)
    var response = ServerResponse(status: 500)
    response.drop = .beforeResponse
    return response
  }

  private func act(_ request: ServerRequest, _ state: inout State) -> ServerResponse {
    let parts = request.path.split(separator: "/").map(String.init)
    guard parts.starts(with: ["api", "tasks"]) else { return ServerResponse(status: 404) }
    let id = parts.count > 2 ? Int(parts[2]) : nil
    switch (request.method, id) {
    case ("GET", nil):
      for id in state.tasks.keys { state.read[id] = state.versions[id] }
      let all = state.tasks.keys.sorted().map { json($0, state) }
      return ServerResponse(text: JSON.array(all).encoded(), type: "application/json")
    case ("POST", nil): return add(request, &state)
    case (let method, let id?):
      guard state.tasks[id] != nil else { return ServerResponse(status: 404, text: "{}", type: "application/json") }
      if method == "GET" {
        state.read[id] = state.versions[id]
        return ServerResponse(text: json(id, state).encoded(), type: "application/json")
      }
      if let known = request.header("If-Match") {
        guard known == tag(id, state) else { return ServerResponse(status: 412, text: "{}", type: "application/json") }
      } else if hasTags || state.read[id] != state.versions[id] {
        state.blind.append("\(method) \(id)")
      }
      state.writes.append("\(method) \(id)")
      if method == "DELETE" {
        state.tasks[id] = nil
        return ServerResponse(status: 204)
      }
      for (name, value) in (try? JSON(parsing: Array(request.body)))?.object ?? [:] {
        state.tasks[id]?[name] = value == .null ? nil : value
      }
      state.versions[id, default: 0] += 1
      return ServerResponse(text: json(id, state).encoded(), type: "application/json")
    default: return ServerResponse(status: 405)
    }
  }

  private func add(_ request: ServerRequest, _ state: inout State) -> ServerResponse {
    let key = request.header("Idempotency-Key") ?? ""
    var response: ServerResponse
    if let id = state.keys[key] {
      response = ServerResponse(status: 201, text: json(id, state).encoded(), type: "application/json")
    } else {
      state.last += 1
      let fields = request.form.filter { !$0.1.isEmpty }.map { ($0.0, JSON.string($0.1)) }
      state.tasks[state.last] = Dictionary(fields) { $1 }
      state.versions[state.last] = 1
      if !key.isEmpty { state.keys[key] = state.last }
      state.writes.append("POST \(state.last)")
      response = ServerResponse(status: 201, text: json(state.last, state).encoded(), type: "application/json")
    }
    response.headers.append(("Idempotency-Key", key))
    return response
  }

  private func json(_ id: Int, _ state: State) -> JSON {
    var task = state.tasks[id] ?? [:]
    (task["Id"], task["Owner"]) = (.integer(Int64(id)), "alice")
    if hasTags { task["ETag"] = .string(tag(id, state)) }
    return .object(task)
  }

  private func tag(_ id: Int, _ state: State) -> String { "\"\(id)-\(state.versions[id] ?? 0)\"" }
}

extension RunningTenant {
  /// A tenant with the task API `server` and a signed-in user.
  package convenience init(for server: ChangingTaskServer) throws {
    try self.init { server.replace($0) }
    try signIn()
  }
}
