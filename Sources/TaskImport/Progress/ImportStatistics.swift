/// The requests of an import: how long they took, how they were answered, and the waits between them. The memory is bounded.
///
/// Times are seconds since the import began.
package struct ImportStatistics: Sendable, Equatable {
  /// Requests that came to an end.
  package private(set) var latencies = LatencyHistogram()
  /// How many ended with each HTTP status; 0 stands for no answer.
  package var statuses: [Int: Int] {
    Dictionary(
      uniqueKeysWithValues: statusCounts.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element) })
  }
  private var statusCounts = [Int](repeating: 0, count: 600)
  /// How often a row was sent again, by the code of the error before.
  package private(set) var retries: [String: Int] = [:]
  /// The waits in which nothing was sent, by why.
  package private(set) var waits: [WaitReason: Wait] = [:]
  /// The most requests that were under way at a time.
  package private(set) var highestInFlight = 0
  /// The rows of this run that failed, by the error's code.
  package private(set) var failures: [String: FailureGroup] = [:]
  package private(set) var series = TimeSeries()
  /// The limit of the requests under way: its turning points.
  package var concurrency: ConcurrencyLog?
  /// The most requests that were under way, or might have been where nobody looked at that moment.
  var highestConcurrency: Int { max(highestInFlight, concurrency.map { min($0.highest, latencies.count) } ?? 0) }

  package struct Wait: Sendable, Equatable {
    package var count = 0
    package var seconds = 0.0
  }

  /// Rows that failed with the same code.
  package struct FailureGroup: Sendable, Equatable {
    package static let mostRows = 100
    package var count = 0
    /// The first one's, as an example.
    package var reason: String
    package var status: Int?
    /// The numbers of the first rows.
    package var rows: [Int] = []
  }

  package init() {}

  /// A request came to its end after `latency` seconds.
  /// - Parameter status: the status of the answer; 0 if there was none.
  package mutating func requestEnded(latency: Double, status: Int, at time: Double) {
    latencies.record(latency)
    series.requestEnded(latency: latency)
    statusCounts[statusCounts.indices.contains(status) ? status : 0] += 1
  }

  /// A row is about to be sent again, after an error with this code.
  package mutating func retried(code: String) { retries[code, default: 0] += 1 }

  /// Nothing is going to be sent, or was, for so long.
  package mutating func waited(seconds: Double, reason: WaitReason) {
    waits[reason, default: Wait()].count += 1
    waits[reason, default: Wait()].seconds += seconds
  }

  /// A row failed for good.
  package mutating func failed(_ failure: RowFailure) {
    var group = failures[failure.code] ?? FailureGroup(reason: failure.reason, status: failure.status)
    group.count += 1
    if group.rows.count < FailureGroup.mostRows { group.rows.append(failure.row) }
    failures[failure.code] = group
  }

  /// Takes a sample; called several times a second.
  /// - Parameter settled: rows that this run is done with, and those of them that failed.
  package mutating func sample(settled: Int, failed: Int, inFlight: Int, limit: Int, at time: Double) {
    highestInFlight = max(highestInFlight, inFlight)
    series.sample(settled: settled, failed: failed, inFlight: inFlight, limit: limit, at: time)
  }

  /// The import has ended.
  package mutating func finish(at time: Double) { series.finish(at: time) }
}
