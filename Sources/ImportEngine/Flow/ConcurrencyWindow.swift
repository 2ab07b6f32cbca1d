/// The limit for the number of requests under way. It adapts to the server.
///
/// The limit starts at the lower bound and doubles each round trip until the first sign that it is enough (slow start),
/// then grows by one a round (RFC 5681, 3.1). A refusal for overload takes three tenths away, as CUBIC does (RFC 9438,
/// 4.6). Latency takes a fifth away if it has at least doubled and the throughput has not grown with it: the requests
/// then only queue somewhere, as in TCP Vegas. A request that began before the last decrease belongs to the larger
/// limit and is not counted, so that there is one decrease a round trip at most.
/// Times and latencies are seconds on one monotonic clock.
package struct ConcurrencyWindow: Sendable {
  /// The share of the limit that is left after a refusal for overload.
  private static let afterOverload = 0.7
  /// The share of the limit that is left after rising latency.
  private static let afterLatency = 0.8
  /// Requests queue if the latency is this many times the usual one and `tolerated` seconds above it. Nobody notices
  /// less time; a server on the same machine, which answers in microseconds, never gets there.
  private static let queueing = 2.0
  private static let tolerated = 0.05

  /// The bounds of the limit; equal bounds keep it constant.
  package let bounds: ClosedRange<Int>
  /// The most requests that may be under way now.
  package private(set) var limit: Int
  package private(set) var changes: ConcurrencyLog

  private var isStarting = true
  private var round: ConcurrencyRound
  /// Requests that began before this time tell nothing about the present limit.
  private var settledAt = -Double.infinity
  /// The latency of a request that does not queue; nil until the first round.
  private var usualLatency: Double?
  /// The highest throughput of a round, slowly forgotten.
  private var bestThroughput = 0.0
  /// The state before a decrease for latency, until the next round shows whether the decrease helped.
  private var trial: (before: Int, limit: Double, latency: Double)?
  /// True if the latency is too high for a higher limit, but not high enough for a lower one.
  private var isHeld = false
  /// Answers since the last increase by one; a round trip has as many answers as the limit.
  private var credit = 0

  /// - Parameter bounds: from 1.
  package init(bounds: ClosedRange<Int>) {
    self.bounds = bounds
    limit = bounds.lowerBound
    changes = ConcurrencyLog(limit: bounds.lowerBound)
    round = ConcurrencyRound(size: ConcurrencyRound.shortest)
  }

  /// Counts a successful request.
  /// - Parameter inFlight: the requests that were under way; with less than half the limit, the rows come too slowly to
  ///   tell whether the server takes more.
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

  /// The server refused a request because of too many requests (429, 503), or did not answer in time.
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
      // With a queue, a fifth fewer requests mean a fifth less latency. Otherwise the server itself has become slower.
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
      // So few requests cannot queue: this is the server's latency.
      guard limit > bounds.lowerBound else {
        usualLatency = latency
        return
      }
      let (before, wasStarting) = (limit, isStarting)
      lower(by: Self.afterLatency, .latency, at: time)
      // While the limit doubles, the latency of a round is that of a smaller limit.
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

  /// Few requests in the beginning give an early result; later rounds are large enough to rule out chance.
  private var nextRound: Int { max(limit, isStarting ? ConcurrencyRound.shortest : ConcurrencyRound.usual) }

  private mutating func change(to limit: Int, _ reason: ConcurrencyChange.Reason, at time: Double) {
    self.limit = limit
    credit = 0
    changes.append(ConcurrencyChange(time: time, limit: limit, reason: reason))
  }
}
