import CMicrohttpdShims
import Synchronization

/// The connections whose answer is delayed: suspended in libmicrohttpd until their time has come or the server stops.
final class Suspensions: Sendable {
  private struct Entry {
    // An address rather than a pointer: what is in here crosses threads, and only `cmhd_resume_connection`, which may be
    // called from any of them, is ever done with it.
    let connection: UInt
    let due: ContinuousClock.Instant

    func resume() {
      if let connection = OpaquePointer(bitPattern: connection) { cmhd_resume_connection(connection) }
    }
  }

  private struct State {
    var isFinished = false
    var waiting: [Entry] = []
    var alarm: AlarmThread?
  }

  /// A year in seconds: more than any connection lasts, and far from where a duration overflows.
  private static let longest = 31_536_000.0

  private let state = Mutex(State())

  /// Suspends the connection; false when the server is about to stop and nothing may be suspended any more.
  /// To be called on the connection's own thread, from within the access handler.
  func suspend(_ connection: OpaquePointer, seconds: Double) -> Bool {
    let address = UInt(bitPattern: connection)
    return state.withLock { state in
      guard !state.isFinished, let connection = OpaquePointer(bitPattern: address) else { return false }
      if state.alarm == nil {
        state.alarm = AlarmThread { [weak self] in self?.resumeDue() }
      }
      guard let alarm = state.alarm else { return false }
      cmhd_suspend_connection(connection)
      state.waiting.append(Entry(connection: address, due: .now + .seconds(min(seconds, Self.longest))))
      alarm.ring()
      return true
    }
  }

  /// Resumes all. libmicrohttpd must not be stopped while a connection is suspended.
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

  /// Resumes what is due; the result is the time of the next one.
  private func resumeDue() -> ContinuousClock.Instant? {
    state.withLock { state in
      let now = ContinuousClock.now
      for entry in state.waiting where entry.due <= now { entry.resume() }
      state.waiting.removeAll { $0.due <= now }
      return state.waiting.map(\.due).min()
    }
  }
}
