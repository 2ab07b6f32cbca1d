/// The requests of about one round trip, which `ConcurrencyWindow` evaluates.
struct ConcurrencyRound: Sendable {
  static let shortest = 4
  static let usual = 16
  /// The shortest duration in seconds: in a shorter round, a pause of the scheduler would look like a slow server.
  private static let duration = 0.02

  private let size: Int
  private var count = 0
  private var sum = 0.0
  private var start = 0.0
  private var end = 0.0
  private var limits = 0

  /// - Parameter size: the fewest requests.
  init(size: Int) { self.size = size }

  mutating func add(_ latency: Double, limit: Int, at time: Double) {
    if count == 0 { start = time }
    count += 1
    sum += latency
    end = time
    limits += limit
  }

  func isComplete(at time: Double) -> Bool { count >= size && time - start >= Self.duration }

  /// The mean latency in seconds.
  var latency: Double { sum / Double(count) }
  var limit: Double { Double(limits) / Double(count) }
  /// Requests a second. The round begins at the end of the first request.
  var throughput: Double { Double(count - 1) / (end - start) }
}
