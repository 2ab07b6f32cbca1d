/// Stops an import from sending all its rows to a server that takes none of them.
///
/// Some failures in a row open the breaker: nothing is sent then. After a while one request is sent as a probe (half
/// open). If the probe fails, the next one comes later, and after `patience` seconds without a success the server is
/// given up. Times and latencies are seconds on one monotonic clock.
package struct CircuitBreaker: Sendable {
  package enum State: Sendable, Equatable {
    /// Requests are sent.
    case closed
    /// Nothing is sent until then.
    case open(until: Double)
    /// A probe is under way; all other requests wait for its outcome.
    case halfOpen
    /// The patience is over.
    case givenUp
  }

  /// A problem that other requests would meet, too.
  package enum Trouble: Sendable {
    /// The server answered with an error, or too late.
    case server
    /// The server cannot be reached.
    case unreachable
  }

  package private(set) var state = State.closed

  private let threshold: Int
  private let first: Double
  private let longest: Double
  private let patience: Double
  private let mostRequests: Int

  private var failures = 0
  private var failingSince = 0.0
  private var probes = 0
  private var probedAt = 0.0
  /// The pauses that the server asked for since the first failure: their end, their seconds and their number.
  private var asked = (until: -Double.infinity, seconds: 0.0, count: 0)

  /// With the defaults, an import survives an outage of half a minute, and gives up within a minute.
  /// - Parameters:
  ///   - threshold: the failures in a row that open the breaker; three are enough if the server cannot be reached.
  ///   - retries: the patience in units of `longest`, and the most pauses in a row that the server may ask for.
  ///   - first: seconds until the first probe; the interval doubles with each probe.
  ///   - patience: seconds to wait for the server; nil for `retries` times `longest`. With 0, no pause is granted.
  package init(
    threshold: Int = 10, retries: Int = 5, first: Double = 0.5, longest: Double = 10, patience: Double? = nil
  ) {
    self.threshold = max(1, threshold)
    self.first = first
    self.longest = longest
    self.patience = patience ?? Double(retries) * longest
    mostRequests = self.patience > 0 ? retries : 0
  }

  /// True if a request may be sent now. On an open breaker, that request is the probe: report its outcome.
  package mutating func admits(at time: Double) -> Bool {
    switch state {
    case .closed: return true
    case .halfOpen, .givenUp: return false
    case .open(let until):
      guard time >= until else { return false }
      probedAt = time
      state = .halfOpen
      return true
    }
  }

  /// The server added a row, or refused it because of the row: the server works.
  package mutating func succeeded() {
    guard failures > 0, state != .givenUp else { return }
    failures = 0
    probes = 0
    asked = (-.infinity, 0, 0)
    state = .closed
  }

  /// - Parameter retryAfter: the seconds of the pause that the server asks for. They do not count against the patience,
  ///   unless the server asks again and again.
  package mutating func failed(_ trouble: Trouble, latency: Double, at time: Double, retryAfter: Double? = nil) {
    guard state != .givenUp else { return }
    if failures == 0 { failingSince = time - latency }
    failures += 1
    if let retryAfter { grant(retryAfter, at: time) }
    switch state {
    case .closed where failures >= (trouble == .unreachable ? min(3, threshold) : threshold) || asksTooMuch:
      self.open(at: time)
    // Requests that began before the probe tell nothing new. The millisecond is for rounding.
    case .halfOpen where time - latency > probedAt - 0.001: self.open(at: time)
    case .open(let until): state = .open(until: max(until, asked.until))
    default: break
    }
  }

  private var asksTooMuch: Bool { asked.count > mostRequests }

  private mutating func grant(_ seconds: Double, at time: Double) {
    let until = time + seconds
    guard until > asked.until else { return }
    if time >= asked.until { asked.count += 1 }
    asked.seconds += until - max(asked.until, time)
    asked.until = until
  }

  private mutating func open(at time: Double) {
    let end = failingSince + patience + (asksTooMuch ? 0 : asked.seconds)
    guard time < end else {
      state = .givenUp
      return
    }
    let wait = min(longest, first * Double(1 << min(probes, 30)))
    probes += 1
    // A last probe just before the end is worth more than the regular interval.
    state = .open(until: max(min(time + wait, end), asked.until))
  }
}
