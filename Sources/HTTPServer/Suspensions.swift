import CMicrohttpdShims
import Synchronization

/// The connections with a delayed response. They are suspended until their time has come or the server stops.
final class Suspensions: Sendable {
  private struct Entry {
    // An address, because entries cross threads. Any thread may use it for `cmhd_resume_connection`, and only for it.
    let connection: UInt
    /// Nil for a connection that waits for its response.
    let due: ContinuousClock.Instant?

    func resume() {
      if let connection = OpaquePointer(bitPattern: connection) { cmhd_resume_connection(connection) }
    }
  }

  private struct State {
    var isFinished = false
    var waiting: [Entry] = []
    var alarm: AlarmThread?
  }

  /// A year in seconds: longer than any connection, and no overflow of a duration.
  private static let longest = 31_536_000.0

  private let state = Mutex(State())

  /// Returns false if the server is about to stop. Called in the access handler, on the connection's thread.
  func suspend(_ connection: OpaquePointer, seconds: Double) -> Bool {
    let address = UInt(bitPattern: connection)
    return state.withLock { state in
      guard !state.isFinished, let connection = OpaquePointer(bitPattern: address) else { return false }
      if state.alarm == nil { state.alarm = AlarmThread { [weak self] in self?.resumeDue() } }
      guard let alarm = state.alarm else { return false }
      cmhd_suspend_connection(connection)
      state.waiting.append(Entry(connection: address, due: .now + .seconds(min(seconds, Self.longest))))
      alarm.ring()
      return true
    }
  }

  enum Outcome { case suspended, ready, stopping }

  /// Suspends a connection until its response comes. Called in the access handler, on the connection's thread.
  func suspend(_ connection: OpaquePointer, for pending: PendingResponse) -> Outcome {
    let address = UInt(bitPattern: connection)
    return state.withLock { state in
      guard !state.isFinished, let connection = OpaquePointer(bitPattern: address) else { return .stopping }
      let isSuspended = pending.wait(
        { cmhd_suspend_connection(connection) }, resume: { [weak self] in self?.resume(address) })
      guard isSuspended else { return .ready }
      state.waiting.append(Entry(connection: address, due: nil))
      return .suspended
    }
  }

  private func resume(_ connection: UInt) {
    state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0.connection == connection }) else { return }
      state.waiting.remove(at: index).resume()
    }
  }

  /// Resumes all connections. libmicrohttpd must not be stopped while a connection is suspended.
  func finish() {
    let alarm = state.withLock { state in
      state.isFinished = true
      for entry in state.waiting { entry.resume() }
      state.waiting = []
      defer { state.alarm = nil }
      return state.alarm
    }
    alarm?.stop()
  }

  /// Resumes the connections that are due. Returns the time of the next one.
  private func resumeDue() -> ContinuousClock.Instant? {
    state.withLock { state in
      let now = ContinuousClock.now
      let due = state.waiting.filter { $0.due.map { $0 <= now } ?? false }
      for entry in due { entry.resume() }
      state.waiting.removeAll { $0.due.map { $0 <= now } ?? false }
      return state.waiting.compactMap(\.due).min()
    }
  }
}
