/// Keeps an import from throwing its rows at a server that takes none of them.
///
/// Some failures in a row open it: nothing is sent then. After a while one request goes out to see (half open). When
/// that one fails too, the next comes later, and after `patience` seconds without a success it is given up.
///
/// Times and latencies are seconds on one monotonic clock.
package struct CircuitBreaker: Sendable {
  package enum State: Sendable, Equatable {
    /// Requests go out.
    case closed
    /// None does until then.
    case open(until: Double)
    /// One is under way to find out; the others wait for what becomes of it.
    case halfOpen
    /// The server was waited for in vain.
    case givenUp
  }

  /// A problem of a request that other requests would meet, too.
  package enum Trouble: Sendable {
    /// The server answered that it cannot, or not in time.
    case server
    /// It cannot be reached.
    case unreachable
  }

  package private(set) var state = State.closed

  private let threshold: Int
  private let first: Double
  private let longest: Double
  private let patience: Double
  private let mostRequests: Int

  /// Failures with no success since.
  private var failures = 0
  /// When the first of these began.
  private var failingSince = 0.0
  private var probes = 0
  private var probedAt = 0.0
  /// Until when the server asked to be left alone, and for how many of the seconds since it fails.
  private var askedUntil = -Double.infinity
  private var askedSeconds = 0.0
  private var requests = 0

  /// By these defaults a server that is away for half a minute is survived, and one that stays away is given up within a
  /// minute.
  /// - Parameters:
  ///   - threshold: how many failures in a row open it; three that the server cannot be reached do in any case.
  ///   - retries: how many times `longest` a server is waited for, and how often in a row what it asks for is granted;
  ///     0 gives up at once.
  ///   - first: seconds until the first look; each further one comes after twice as long.
  ///   - longest: at most after so long.
  ///   - patience: seconds for which a server is waited for; nil for `retries` times `longest`. 0 grants nothing that the
  ///     server asks for, either.
  package init(
    threshold: Int = 10, retries: Int = 5, first: Double = 0.5, longest: Double = 10, patience: Double? = nil
  ) {
    self.threshold = max(1, threshold)
    self.first = first
    self.longest = longest
    self.patience = patience ?? Double(retries) * longest
    mostRequests = self.patience > 0 ? retries : 0
  }

  /// True if a request may go out now. When it is open and the time has come, the one that is told so goes to see; what
  /// becomes of it has to be told.
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

  /// The server did what was asked, or refused what is wrong with one row: it works.
  package mutating func succeeded() {
    guard failures > 0, state != .givenUp else { return }
    failures = 0
    probes = 0
    askedUntil = -.infinity
    askedSeconds = 0
    requests = 0
    state = .closed
  }

  /// - Parameters:
  ///   - latency: how long ago the request began.
  ///   - retryAfter: for how many seconds the server asks to be left alone. That time does not count against it, as
  ///     long as it does not ask again and again.
  package mutating func failed(_ trouble: Trouble, latency: Double, at time: Double, retryAfter: Double? = nil) {
    guard state != .givenUp else { return }
    if failures == 0 { failingSince = time - latency }
    failures += 1
    if let retryAfter { grant(retryAfter, at: time) }
    switch state {
    case .closed where failures >= (trouble == .unreachable ? min(3, threshold) : threshold) || asksTooMuch:
      self.open(at: time)
    // The requests that were under way when it opened tell nothing new. A millisecond is for rounding.
    case .halfOpen where time - latency > probedAt - 0.001: self.open(at: time)
    case .open(let until): state = .open(until: max(until, askedUntil))
    default: break
    }
  }

  private var asksTooMuch: Bool { requests > mostRequests }

  private mutating func grant(_ seconds: Double, at time: Double) {
    let until = time + seconds
    guard until > askedUntil else { return }
    if time >= askedUntil { requests += 1 }
    askedSeconds += until - max(askedUntil, time)
    askedUntil = until
  }

  private mutating func open(at time: Double) {
    let end = failingSince + patience + (asksTooMuch ? 0 : askedSeconds)
    guard time < end else {
      state = .givenUp
      return
    }
    let wait = min(longest, first * Double(1 << min(probes, 30)))
    probes += 1
    // A last look just before the end is worth more than the regular interval.
    state = .open(until: max(min(time + wait, end), askedUntil))
  }
}
