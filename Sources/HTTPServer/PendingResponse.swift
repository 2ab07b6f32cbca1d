import Synchronization

/// A response that comes later, from any thread. Its connection waits, and the server answers others meanwhile.
package final class PendingResponse: Sendable {
  private struct State {
    var response: ServerResponse?
    /// Wakes the connection up.
    var resume: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Sends the response. Only the first one counts.
  package func finish(_ response: ServerResponse) {
    let resume = state.withLock { state in
      if state.response == nil { state.response = response }
      defer { state.resume = nil }
      return state.resume
    }
    resume?()
  }

  var response: ServerResponse? { state.withLock { $0.response } }

  /// Returns false, and does nothing, if the response is there. Else runs `suspend`, and `resume` when the response comes.
  func wait(_ suspend: () -> Void, resume: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.response == nil else { return false }
      suspend()
      state.resume = resume
      return true
    }
  }
}

extension ServerResponse {
  /// A response that comes later.
  package static func later(_ pending: PendingResponse) -> ServerResponse {
    var response = ServerResponse(status: 503)
    response.pending = pending
    return response
  }
}
