@testable import ImportEngine

/// A server and a client that keeps as many requests under way as its window allows, in simulated time.
struct SimulatedServer {
  /// The number of requests that the server handles at a time, and the seconds for each request.
  var workers: Int
  var seconds: Double
  /// Further seconds that each answer takes without keeping a worker busy.
  var distance = 0.0
  /// How many may wait for a worker; more are refused. Below zero: when so many are idle still.
  var longestQueue = Int.max
  /// By how much the seconds vary, as a part of them.
  var spread = 0.0
  /// Each so manieth request is refused whatever the load.
  var refusesEach: Int?

  struct Outcome {
    var answered = 0
    var refused = 0
    /// The limit at each answer, in the order of time.
    var limits: [Int] = []
    var throughput = 0.0
    /// The mean of the limit over the last half of the answers.
    var usualLimit: Double {
      let last = limits.suffix(limits.count / 2)
      return Double(last.reduce(0, +)) / Double(last.count)
    }
  }

  private struct Request {
    var start: Double
    var end: Double
    var isRefused: Bool
  }

  /// Sends for so many seconds. `change` may alter the server as time goes by.
  func run(
    _ window: inout ConcurrencyWindow, for duration: Double,
    change: (inout SimulatedServer, Double) -> Void = { _, _ in }
  ) -> Outcome {
    var server = self
    var generator = SeededGenerator(seed: 7)
    var outcome = Outcome()
    var underWay: [Request] = []
    var free = [Double](repeating: 0, count: workers)
    var now = 0.0
    var sent = 0
    while now < duration {
      change(&server, now)
      while underWay.count < window.limit {
        sent += 1
        let queue = underWay.count { !$0.isRefused } - server.workers
        if queue >= server.longestQueue || server.refusesEach.map({ sent % $0 == 0 }) ?? false {
          underWay.append(Request(start: now, end: now + server.distance + 0.001, isRefused: true))
          continue
        }
        let worker = free.indices.min { free[$0] < free[$1] }!
        let work = server.seconds * (1 + .random(in: -server.spread...server.spread, using: &generator))
        free[worker] = max(free[worker], now) + work
        underWay.append(Request(start: now, end: free[worker] + server.distance, isRefused: false))
      }
      let next = underWay.indices.min { underWay[$0].end < underWay[$1].end }!
      let inFlight = underWay.count
      let request = underWay.remove(at: next)
      now = request.end
      if request.isRefused {
        outcome.refused += 1
        window.overloaded(latency: now - request.start, at: now)
      } else {
        outcome.answered += 1
        window.succeeded(latency: now - request.start, at: now, inFlight: inFlight)
      }
      outcome.limits.append(window.limit)
    }
    outcome.throughput = Double(outcome.answered) / now
    return outcome
  }
}

/// SplitMix64: the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
