import Foundation
import HTTPServer
import JSON
import Synchronization

/// A task API on loopback that treats each new task as the test says, and knows which ones it has. It takes any token.
package final class TaskServer: Sendable {
  /// The server's reaction to a request for a new task.
  package enum Treatment: Sendable {
    case add
    /// Sends this response and adds no task.
    case refuse(Int, String)
    /// The task is there, and the answer gets lost.
    case loseAnswer
    /// No answer for so many seconds, whether the task is there or not.
    case hang(seconds: Double, adds: Bool)
  }

  package typealias Treat = @Sendable (_ text: String, _ request: Int) -> Treatment

  private struct State {
    var texts: [String] = []
    var requests = 0
    var treat: Treat
  }

  private let state: Mutex<State>
  private let server = Mutex<HTTPServer?>(nil)
  /// True if the server behaves like the tutorial's Node server, whose list has the 20 oldest tasks.
  private let isNode: Bool

  /// - Parameter treat: what to do with the text of the request of that number, counting from 1.
  package init(port: UInt16 = 0, isNode: Bool = false, _ treat: @escaping Treat = { _, _ in .add }) throws {
    self.isNode = isNode
    state = Mutex(State(treat: treat))
    let server = try HTTPServer(port: port) { [weak self] in self?.answer($0) ?? ServerResponse(status: 500) }
    self.server.withLock { $0 = server }
  }

  deinit { server.withLock { $0?.stop() } }

  package var port: UInt16 { server.withLock { $0?.port ?? 0 } }
  package var url: String { "http://127.0.0.1:\(port)" }

  /// The tasks there are, in the order they came.
  package var texts: [String] { state.withLock(\.texts) }
  /// The number of requests for new tasks.
  package var requests: Int { state.withLock(\.requests) }

  /// From now on.
  package func treat(_ treat: @escaping Treat) { state.withLock { $0.treat = treat } }

  /// Waits until it was asked for so many new tasks; a minute at most.
  package func waitForRequests(_ count: Int) throws {
    for _ in 0..<6000 {
      if requests >= count { return }
      usleep(10_000)
    }
    throw CocoaError(.fileReadUnknown)
  }

  /// Settings of a tenant, with this task API.
  package func replace(_ settings: String) -> String {
    settings.replacing(
      #/<key>taskAPI</key>\s*<string>[^<]*</string>/#, with: "<key>taskAPI</key><string>\(url)</string>")
  }

  private func answer(_ request: ServerRequest) -> ServerResponse {
    guard request.path == "/api/tasks" else { return ServerResponse(status: 404) }
    if request.method == "GET" {
      let tasks = texts.enumerated().map { task($0.offset + 1, $0.element) }.prefix(isNode ? 20 : .max)
      return ServerResponse(text: JSON.array(Array(tasks)).encoded(), type: "application/json")
    }
    let text = request.form.first { $0.0 == "Text" }?.1 ?? ""
    let (number, treat) = state.withLock { state in
      state.requests += 1
      return (state.requests, state.treat)
    }
    switch treat(text, number) {
    case .refuse(let status, let body): return ServerResponse(status: status, text: body, type: "application/json")
    case .add: return add(text)
    case .loseAnswer:
      var response = add(text)
      response.drop = .beforeResponse
      return response
    case .hang(let seconds, let adds):
      var response = adds ? add(text) : ServerResponse(status: 503)
      response.delay = seconds
      return response
    }
  }

  private func add(_ text: String) -> ServerResponse {
    let id = state.withLock { state in
      state.texts.append(text)
      return state.texts.count
    }
    return ServerResponse(status: 201, text: task(id, text).encoded(), type: "application/json")
  }

  private func task(_ id: Int, _ text: String) -> JSON {
    isNode
      ? ["_id": .string(String(id)), "owner": "alice", "Text": .string(text), "completed": false]
      : ["Id": .integer(Int64(id)), "Owner": "alice", "Text": .string(text), "Completed": false]
  }
}

extension RunningTenant {
  /// A tenant with the task API `server` and a signed-in user.
  package convenience init(for server: TaskServer) throws {
    try self.init { server.replace($0) }
    try signIn()
  }
}
