import CMicrohttpdShims
import Glibc
import HostLoop

/// The connections of a server, and what keeps a few of them from taking all of it: a request has only so much time from
/// its first byte to its last, there are only so many connections, and where one more comes, or the system has no
/// descriptor for it, the one that has been idle longest is ended.
final class Connections: Sendable {
  private enum Phase {
    /// No request has begun. `received` counts the bytes of the connection up to then; nil while nobody has looked.
    case idle(since: ContinuousClock.Instant, received: UInt64?)
    /// A request has begun, and is not complete.
    case receiving(since: ContinuousClock.Instant)
    case answering
    /// Ended here, and not yet given up by libmicrohttpd.
    case ended
  }

  private struct State {
    /// By libmicrohttpd's connection. The descriptor is open as long as the connection is in here.
    var known: [UInt: (descriptor: CInt, phase: Phase)] = [:]
    /// Those in here that were not ended.
    var count = 0
    var alarm: AlarmThread?
    var isFinished = false
  }

  /// How many there may be.
  let limit: Int
  private let requestTime: Duration
  private let state = Locked(State())

  /// - Parameter requestTime: in seconds.
  init(requestTime: Double) {
    self.requestTime = .seconds(requestTime)
    limit = Self.limit()
  }

  /// Half of the descriptors that the process may have: the other half is for files and other connections.
  private static func limit() -> Int {
    var descriptors = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return 500 }
    return Int(max(4, min(descriptors.rlim_cur / 2, 1000)))
  }

  // These four are called on the daemon's thread that the connection belongs to.

  func add(_ connection: OpaquePointer) {
    state.withLock { state in
      if state.count >= limit { Self.endOldest(&state) }
      state.count += 1
      state.known[UInt(bitPattern: connection)] = (cmhd_socket(connection), .idle(since: .now, received: 0))
      guard !state.isFinished else { return }
      if state.alarm == nil {
        state.alarm = AlarmThread { [weak self] in self?.endOverdue() }
      } else if state.known.count == 1 {
        // The alarm sleeps while there is no connection.
        state.alarm?.ring()
      }
    }
  }

  func remove(_ connection: OpaquePointer) {
    state.withLock { state in
      guard let removed = state.known.removeValue(forKey: UInt(bitPattern: connection)) else { return }
      if case .ended = removed.phase { return }
      state.count -= 1
    }
  }

  /// The request has come in whole.
  func isComplete(_ connection: OpaquePointer) { set(.answering, connection) }

  /// The answer has left.
  func isIdle(_ connection: OpaquePointer) {
    set(.idle(since: .now, received: nil), connection)
  }

  private func set(_ phase: Phase, _ connection: OpaquePointer) {
    state.withLock { state in
      let key = UInt(bitPattern: connection)
      if case .ended? = state.known[key]?.phase { return }
      state.known[key]?.phase = phase
    }
  }

  /// Called when the system has no descriptor for a new connection. The pause keeps the daemon from asking all the time
  /// where none of its connections can be ended.
  func makeRoom() {
    if !state.withLock({ Self.endOldest(&$0) }) { usleep(50_000) }
  }

  /// To be called when the daemons have stopped.
  func finish() {
    let alarm = state.withLock { state in
      state.isFinished = true
      defer { state.alarm = nil }
      return state.alarm
    }
    alarm?.stop()
  }

  /// - Returns: whether there was one that no answer is on its way for.
  @discardableResult
  private static func endOldest(_ state: inout State) -> Bool {
    // One whose request drips in is worth less than one between two requests.
    let candidates = state.known.compactMap {
      key, connection -> (key: UInt, rank: Int, since: ContinuousClock.Instant)? in
      switch connection.phase {
      case .receiving(let since): (key, 0, since)
      case .idle(let since, _): (key, 1, since)
      case .answering, .ended: nil
      }
    }
    guard let oldest = candidates.min(by: { ($0.rank, $0.since) < ($1.rank, $1.since) }) else { return false }
    end(oldest.key, &state)
    return true
  }

  /// libmicrohttpd sees the end of the input and gives the connection up.
  private static func end(_ key: UInt, _ state: inout State) {
    guard let descriptor = state.known[key]?.descriptor else { return }
    shutdown(descriptor, CInt(SHUT_RDWR))
    state.known[key]?.phase = .ended
    state.count -= 1
  }

  /// Ends those whose request takes too long; the result is when to look again.
  private func endOverdue() -> ContinuousClock.Instant? {
    state.withLock { state in
      let now = ContinuousClock.now
      for (key, connection) in state.known {
        switch connection.phase {
        case .idle(let since, let received):
          let bytes = cmhd_received_bytes(connection.descriptor)
          let hasBegun = received.map { bytes > $0 } ?? false
          state.known[key]?.phase = hasBegun ? .receiving(since: now) : .idle(since: since, received: bytes)
        case .receiving(let since) where since + requestTime <= now: Self.end(key, &state)
        case .receiving, .answering, .ended: break
        }
      }
      return state.known.isEmpty ? nil : now + requestTime / 4
    }
  }
}
