import CMicrohttpdShims
import Glibc
import HostLoop

/// The connections, limited so that a few cannot block the server: a request has a limited time from first to last
/// byte, and beyond the limit, or without a descriptor, the longest idle connection is ended for a new one.
final class Connections: Sendable {
  private enum Phase {
    /// No request has begun. `received` is the number of bytes so far; nil before it is read.
    case idle(since: ContinuousClock.Instant, received: UInt64?)
    /// A request has begun and is not complete.
    case receiving(since: ContinuousClock.Instant)
    case answering
    /// The connection was ended here, but libmicrohttpd has not released it yet.
    case ended
  }

  private struct State {
    /// The connections by libmicrohttpd's pointer. The descriptor is open as long as the connection is here.
    var known: [UInt: (descriptor: CInt, phase: Phase)] = [:]
    /// The number of connections that were not ended.
    var count = 0
    var alarm: AlarmThread?
    var isFinished = false
  }

  let limit: Int
  private let requestTime: Duration
  private let state = Locked(State())

  init(requestTime: Double) {
    self.requestTime = .seconds(requestTime)
    limit = Self.limit()
  }

  /// Half of the process's descriptors: the other half is for files and other connections.
  private static func limit() -> Int {
    var descriptors = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return 500 }
    return Int(max(4, min(descriptors.rlim_cur / 2, 1000)))
  }

  // The next four methods are called on the connection's daemon thread.

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

  func isComplete(_ connection: OpaquePointer) { set(.answering, connection) }

  func isIdle(_ connection: OpaquePointer) { set(.idle(since: .now, received: nil), connection) }

  private func set(_ phase: Phase, _ connection: OpaquePointer) {
    state.withLock { state in
      let key = UInt(bitPattern: connection)
      if case .ended? = state.known[key]?.phase { return }
      state.known[key]?.phase = phase
    }
  }

  /// Called when no descriptor is left. If no connection can be ended, a pause keeps the daemon from asking at once.
  func makeRoom() {
    if !state.withLock({ Self.endOldest(&$0) }) { usleep(50_000) }
  }

  /// Called when the daemons have stopped.
  func finish() {
    let alarm = state.withLock { state in
      state.isFinished = true
      defer { state.alarm = nil }
      return state.alarm
    }
    alarm?.stop()
  }

  /// - Returns: true if there was a connection without a pending response.
  @discardableResult
  private static func endOldest(_ state: inout State) -> Bool {
    // A connection whose request drips in is ended before one between two requests.
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

  /// libmicrohttpd sees the end of the input and releases the connection.
  private static func end(_ key: UInt, _ state: inout State) {
    guard let descriptor = state.known[key]?.descriptor else { return }
    shutdown(descriptor, CInt(SHUT_RDWR))
    state.known[key]?.phase = .ended
    state.count -= 1
  }

  /// Ends connections whose request takes too long. Returns the time of the next check.
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
