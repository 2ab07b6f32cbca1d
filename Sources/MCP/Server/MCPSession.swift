import Crypto
import JSON
import Synchronization

/// The connection of a client that begins with `initialize`, or the process of one on standard input. Versions without sessions
/// use it for what a connection has in common.
package final class MCPSession: Sendable {
  private struct State {
    var version: MCPVersion?
    var client: MCPImplementation?
    var canAsk = false
    var isCanceled: Set<RPCID> = []
    var running: [RPCID: Task<Void, Never>] = [:]
    var waiting: [RPCID: CheckedContinuation<JSON, any Error>] = [:]
    var lastQuestion: Int64 = 0
  }

  package let id: String
  package let principal: String?
  /// Sends a message to the client at any time; nil where a message is only the answer to a request.
  private let send: (@Sendable (RPCMessage) -> Void)?
  private let state = Mutex(State())

  package init(
    id: String = SecureRandom.token(), principal: String? = nil, send: (@Sendable (RPCMessage) -> Void)? = nil
  ) {
    self.id = id
    self.principal = principal
    self.send = send
  }

  /// The version that `initialize` has agreed on; nil before.
  package var version: MCPVersion? { state.withLock(\.version) }

  /// The client of a request without `_meta`; nil before `initialize`.
  var caller: MCPCaller? {
    state.withLock { state in
      state.version.map {
        MCPCaller(
          session: id, principal: principal, client: state.client, version: $0, canAsk: state.canAsk && send != nil)
      }
    }
  }

  func begin(_ version: MCPVersion, _ client: MCPImplementation?, canAsk: Bool) {
    state.withLock { ($0.version, $0.client, $0.canAsk) = (version, client, canAsk) }
  }

  // MARK: Requests in progress

  /// Runs the answer of a request, which `cancel` ends.
  package func run(_ id: RPCID, _ body: @escaping @Sendable () async -> Void) {
    let task = Task {
      await body()
      self.state.withLock { $0.running[id] = nil }
    }
    state.withLock { if !task.isCancelled { $0.running[id] = task } }
  }

  /// True if the client has canceled the request: nobody waits for its answer.
  package func takeCancellation(of id: RPCID) -> Bool { state.withLock { $0.isCanceled.remove(id) != nil } }

  func cancel(_ id: RPCID) {
    let task = state.withLock { state in
      guard let task = state.running.removeValue(forKey: id) else { return nil as Task<Void, Never>? }
      state.isCanceled.insert(id)
      return task
    }
    task?.cancel()
  }

  /// Ends all requests, and the questions that wait.
  package func end() {
    let (tasks, waiting) = state.withLock { state in
      defer { (state.running, state.waiting) = ([:], [:]) }
      return (Array(state.running.values), Array(state.waiting.values))
    }
    for task in tasks { task.cancel() }
    for continuation in waiting { continuation.resume(throwing: CancellationError()) }
  }

  // MARK: Requests to the client

  func request(_ method: String, _ params: [String: JSON]) async throws -> JSON {
    guard let send else { throw RPCError(.missingCapability, "the client cannot be asked here") }
    let number = state.withLock { state in
      state.lastQuestion += 1
      return state.lastQuestion
    }
    let id = RPCID.text("b2c-run-\(number)")
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.waiting[id] = continuation }
        if Task.isCancelled { answer(id, .failure(CancellationError())) }
        send(.request(id, method: method, params: params))
      }
    } onCancel: {
      answer(id, .failure(CancellationError()))
    }
  }

  func answer(_ id: RPCID, _ result: Result<JSON, any Error>) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
  }
}
