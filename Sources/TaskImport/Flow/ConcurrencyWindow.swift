/// How many requests may be under way at a time: found out by looking at how the server takes them.
///
/// Starts at the lower bound and doubles each round trip until the first sign that it is enough (slow start), then adds
/// one a round (RFC 5681, 3.1). A refusal for overload takes three tenths away, as CUBIC does (RFC 9438, 4.6). Latency
/// takes a fifth away when it has at least doubled and the throughput has not grown with it: the requests then only
/// queue somewhere, as in TCP Vegas. What a request says that began before the last decrease is about the larger
/// window and is not counted, so that there is one decrease a round trip at most.
///
/// Times and latencies are seconds on one monotonic clock.
package struct ConcurrencyWindow: Sendable {
  /// The share of the limit that is left after a refusal for overload.
  private static let afterOverload = 0.7
  /// The share of the limit that is left after rising latency.
  private static let afterLatency = 0.8
  /// A latency this many times the usual one is queueing, from `tolerated` seconds on above it. The latter is what nobody
  /// notices; a server on the same machine, where everything takes microseconds, never gets there.
  private static let queueing = 2.0
  private static let tolerated = 0.05

  /// The fewest and the most; the same means that it stays there.
  package let bounds: ClosedRange<Int>
  /// How many may be under way now.
  package private(set) var limit: Int
  /// The changes of the limit, with their reasons.
  package private(set) var changes: ConcurrencyLog

  private var isStarting = true
  private var round: ConcurrencyRound
  /// Requests that began before say nothing about the present limit.
  private var settledAt = -Double.infinity
  /// The latency of a request that does not queue; nil until the first round.
  private var usualLatency: Double?
  /// The most requests a second of a round, slowly forgotten.
  private var bestThroughput = 0.0
  /// The limit before it was lowered for latency, until the next round shows whether that helped.
  private var trial: (before: Int, limit: Double, latency: Double)?
  /// True if the latency is too high for a higher limit, and not high enough for a lower one.
  private var isHeld = false
  /// Answers since the limit was raised by one; as many as the limit are a round trip.
  private var credit = 0

  /// - Parameter bounds: from 1.
  package init(bounds: ClosedRange<Int>) {
    self.bounds = bounds
    limit = bounds.lowerBound
    changes = ConcurrencyLog(limit: bounds.lowerBound)
    round = ConcurrencyRound(size: ConcurrencyRound.shortest)
  }

  /// A request was answered as it should.
  /// - Parameter inFlight: how many were under way when it was; where that is less than half the limit, the rows do not
  ///   come fast enough to tell whether more would be borne.
  package mutating func succeeded(latency: Double, at time: Double, inFlight: Int) {
    guard bounds.lowerBound < bounds.upperBound, time - latency >= settledAt else { return }
    let isUsed = 2 * inFlight >= limit
    if isUsed, !isHeld, limit < bounds.upperBound {
      credit += isStarting ? limit : 1
      if credit >= limit { change(to: limit + 1, isStarting ? .starting : .room, at: time) }
    }
    round.add(latency, limit: limit, at: time)
    if round.isComplete(at: time) { endRound(at: time) }
  }

  /// The server refused a request because there were too many (429, 503), or did not answer it in time.
  /// - Parameter latency: how long ago it began.
  package mutating func overloaded(latency: Double, at time: Double) {
    guard time - latency >= settledAt else { return }
    lower(by: Self.afterOverload, .overloaded, at: time)
    trial = nil
    isHeld = false
  }

  private mutating func endRound(at time: Double) {
    let (latency, throughput, usedLimit) = (round.latency, round.throughput, round.limit)
    round = ConcurrencyRound(size: nextRound)
    isHeld = false
    if let trial {
      self.trial = nil
      // With a queue, a fifth less in flight is a fifth less latency. Without, the server has become slower by itself.
      let expected = trial.latency * (1 - usedLimit / trial.limit)
      if trial.latency - latency < expected / 4 {
        usualLatency = latency
        return change(to: trial.before, .restored, at: time)
      }
    }
    let usual = min(usualLatency ?? latency, latency)
    usualLatency = usual
    let hasGrown = throughput > 1.05 * bestThroughput
    bestThroughput = max(throughput, 0.99 * bestThroughput)
    guard !hasGrown else { return }
    if latency > Self.queueing * usual + Self.tolerated {
      // So few cannot queue: it takes what it takes.
      guard limit > bounds.lowerBound else {
        usualLatency = latency
        return
      }
      let (before, wasStarting) = (limit, isStarting)
      lower(by: Self.afterLatency, .latency, at: time)
      // While the limit doubles, the latency of a round is that of a smaller one.
      if !wasStarting { trial = (before, usedLimit, latency) }
      isHeld = true
    } else if latency > (1 + Self.queueing) / 2 * usual + Self.tolerated {
      isStarting = false
      isHeld = true
    }
  }

  private mutating func lower(by factor: Double, _ reason: ConcurrencyChange.Reason, at time: Double) {
    isStarting = false
    settledAt = time
    round = ConcurrencyRound(size: nextRound)
    let lower = max(bounds.lowerBound, Int(Double(limit) * factor))
    if lower < limit { change(to: lower, reason, at: time) }
  }

  /// Few in the beginning, so that the first look comes early; then enough that chance does not decide.
  private var nextRound: Int { max(limit, isStarting ? ConcurrencyRound.shortest : ConcurrencyRound.usual) }

  private mutating func change(to limit: Int, _ reason: ConcurrencyChange.Reason, at time: Double) {
    self.limit = limit
    credit = 0
    changes.append(ConcurrencyChange(time: time, limit: limit, reason: reason))
  }
}
