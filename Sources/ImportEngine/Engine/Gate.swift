import Core
import HostLoop
import TaskAPI

/// Decides when the next row may be sent, by the number of requests under way, the rate, and the state of the server.
@HostActor
final class Gate {
  /// Called at the end of a pause.
  var onOpen: @HostActor () -> Void = {}
  var onPause: @HostActor (Double) -> Void = { _ in }
  private(set) var window: ConcurrencyWindow
  private(set) var inFlight = 0
  private(set) var breaker: CircuitBreaker
  private let state: RunState
  private var limiter: RateLimiter
  private var hasSlot = false
  private var pauses = RequestedPauses()
  /// The end of a pause of all requests, in seconds since the start.
  private(set) var heldUntil = 0.0
  /// Calls `onOpen` later; nothing is sent until then.
  private var timer: TimerQueue.ID?

  /// Seconds between two questions for a permit.
  private static let permitPause = 0.5

  init(_ state: RunState) {
    let options = state.options
    self.state = state
    window = ConcurrencyWindow(bounds: options.concurrency)
    limiter = RateLimiter(rowsPerSecond: options.rate)
    breaker = CircuitBreaker(options)
  }

  /// Admits a request, which is then under way. After false, ask again at `onOpen` or at the answer to another request.
  func admit() -> Bool {
    if inFlight >= window.limit || timer != nil { return false }
    if !state.isPermitted() { return self.open(after: Self.permitPause) }
    let time = state.now
    if time < heldUntil { return self.open(after: heldUntil - time) }
    if !hasSlot {
      let delay = limiter.delay(at: time)
      hasSlot = true
      if delay > 0 { return self.open(after: delay) }
    }
    guard breaker.admits(at: time) else {
      if case .open(let until) = breaker.state { return self.open(after: until - time) }
      return false
    }
    hasSlot = false
    inFlight += 1
    return true
  }

  /// Counts a row that goes in the request of an admitted one.
  func admitAlong() { _ = limiter.delay(at: state.now) }

  /// The admitted request is not sent.
  func withdraw() { inFlight -= 1 }

  private func open(after seconds: Double) -> Bool {
    timer = HostLoop.shared.schedule(after: seconds) {
      self.timer = nil
      self.onOpen()
    }
    return false
  }

  func limit(rowsPerSecond: Double?) { limiter = RateLimiter(rowsPerSecond: rowsPerSecond) }

  func hold(until time: Double, _ reason: WaitReason) {
    heldUntil = max(heldUntil, time)
    state.beginWait(until: heldUntil, reason)
  }

  func leave(since start: Double, status: Int, at time: Double) {
    inFlight -= 1
    state.statistics.requestEnded(latency: time - start, status: status, at: time)
  }

  func succeeded(since start: Double, at time: Double) {
    window.succeeded(latency: time - start, at: time, inFlight: inFlight + 1)
    breaker.succeeded()
    pauses.succeeded(begun: start)
  }

  /// The server acted on a request, although the row was not added.
  func answered() { breaker.succeeded() }

  /// The server did not take a request; the row is not the reason. `isLast` is true if no other row can be sent.
  func failed(
    _ row: QueuedRow, _ error: any Error, since start: Double, at time: Double, after wait: Double?, isLast: Bool
  ) {
    let status = error.status
    let hold = wait.flatMap { seconds in
      let isAboutAll = isLast || (error as? TaskAPIError)?.isAboutAllRequests ?? true
      return pauses.asked(row: row.number, seconds: seconds, isAboutAll: isAboutAll, at: time)
    }
    window.overloaded(latency: time - start, at: time)
    breaker.failed(
      status == nil ? .unreachable : .server, latency: time - start, at: time,
      retryAfter: hold.map { max(0, $0 - time) })
    if let hold, !state.options.wait(hold - time).fits {
      state.stop(.stopped(by: error, at: row.record))
    } else if let hold, hold > heldUntil {
      self.hold(until: hold, .asked(status: status ?? 0))
      onPause(hold - time)
    } else if case .open(let until) = breaker.state, until > state.wait?.until ?? 0 {
      state.beginWait(until: until, status == nil ? .unreachable : .failing)
    }
  }
}

extension CircuitBreaker {
  init(_ options: ImportOptions, threshold: Int = 10) {
    self.init(
      threshold: threshold, retries: options.retries, first: 2 * options.delays.first, longest: options.delays.longest,
      patience: options.patience)
  }
}
