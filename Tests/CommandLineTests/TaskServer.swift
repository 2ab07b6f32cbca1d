import Foundation
import HTTPServer
import JOSE
import Synchronization

/// A task API on loopback that treats each new task as the test says, and knows which ones it has. It takes any token.
final class TaskServer: Sendable {
  /// What happens to a request for a new task.
  enum Treatment: Sendable {
    case add
    /// The answer, and no task.
    case refuse(Int, String)
    /// The task is there, and the answer gets lost.
    case loseAnswer
    /// Nobody answers for that long.
    case hang(Double)
  }

  private struct State {
    var texts: [String] = []
    /// Texts by their idempotency keys.
    var keys: [String: Int] = [:]
    var requests = 0
  }

  private let state = Mutex(State())
  private let server = Mutex<HTTPServer?>(nil)
  private let honorsKeys: Bool
  private let treat: @Sendable (_ text: String, _ request: Int) -> Treatment

  /// - Parameters:
  ///   - honorsKeys: whether it knows `Idempotency-Key`, and repeats it.
  ///   - treat: what to do with the text of the request of that number, counting from 1.
  init(honorsKeys: Bool = false, _ treat: @escaping @Sendable (String, Int) -> Treatment = { _, _ in .add }) throws {
    self.honorsKeys = honorsKeys
    self.treat = treat
    let server = try HTTPServer { [weak self] in self?.answer($0) ?? ServerResponse(status: 500) }
    self.server.withLock { $0 = server }
  }

  deinit { server.withLock { $0?.stop() } }

  var url: String { server.withLock { "http://127.0.0.1:\($0?.port ?? 0)" } }

  /// The tasks there are, in the order they came.
  var texts: [String] { state.withLock(\.texts) }
  /// How many new tasks it was asked for.
  var requests: Int { state.withLock(\.requests) }

  /// Settings of a tenant whose task API this one is.
  func replace(_ settings: String) -> String {
    settings.replacing(
      #/<key>taskAPI</key>\s*<string>[^<]*</string>/#, with: "<key>taskAPI</key><string>\(url)</string>")
  }

  private func answer(_ request: ServerRequest) -> ServerResponse {
    guard request.path == "/api/tasks" else { return ServerResponse(status: 404) }
    if request.method == "GET" {
      let tasks = texts.enumerated().map { task($0.offset + 1, $0.element) }
      return ServerResponse(text: JSON.array(tasks).encoded(), type: "application/json")
    }
    let text = request.form.first { $0.0 == "Text" }?.1 ?? ""
    let number = state.withLock { state in
      state.requests += 1
      return state.requests
    }
    switch treat(text, number) {
    case .refuse(let status, let body): return ServerResponse(status: status, text: body, type: "application/json")
    case .hang(let seconds): return ServerResponse(status: 503, delay: seconds)
    case .add: return added(text, request)
    case .loseAnswer:
      var response = added(text, request)
      response.drop = .beforeResponse
      return response
    }
  }

  private func added(_ text: String, _ request: ServerRequest) -> ServerResponse {
    let key = honorsKeys ? request.header("Idempotency-Key") : nil
    let id = state.withLock { state in
      if let key, let id = state.keys[key] { return id }
      state.texts.append(text)
      if let key { state.keys[key] = state.texts.count }
      return state.texts.count
    }
    return ServerResponse(
      status: 201, headers: key.map { [("Idempotency-Key", $0)] } ?? [], text: task(id, text).encoded(),
      type: "application/json")
  }

  private func task(_ id: Int, _ text: String) -> JSON {
    ["Id": .integer(Int64(id)), "Owner": "alice", "Text": .string(text), "Completed": false]
  }
}
