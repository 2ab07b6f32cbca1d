package import ImportFormats

/// The requests of an import: how long they took, how they were answered, and the waits between them. The memory is
/// bounded. Times are seconds since the import began.
package struct ImportStatistics: Sendable {
  package private(set) var latencies = LatencyHistogram()
  /// The number of answers with each HTTP status; 0 stands for no answer.
  package var statuses: [Int: Int] {
    Dictionary(
      uniqueKeysWithValues: statusCounts.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element) })
  }
  private var statusCounts = [Int](repeating: 0, count: 600)
  /// The number of repetitions, by the code of the error before.
  package private(set) var retries: [String: Int] = [:]
  /// The waits by reason.
  package private(set) var waits: [WaitReason: Wait] = [:]
  /// The most requests that were seen under way.
  package private(set) var highestInFlight = 0
  /// The rows of this run that failed, by the error's code.
  package private(set) var failures: [String: FailureGroup] = [:]
  package private(set) var series = TimeSeries()
  /// The turning points of the limit.
  package var concurrency: ConcurrencyLog?
  /// The most requests that were under way, or may have been between two samples.
  package var highestConcurrency: Int {
    max(highestInFlight, concurrency.map { min($0.highest, latencies.count) } ?? 0)
  }

  /// The answers by status, `none` without an answer.
  package var namedStatuses: [String: Int] {
    Dictionary(uniqueKeysWithValues: statuses.map { ($0.key == 0 ? "none" : String($0.key), $0.value) })
  }

  /// The mean, some percentiles and the maximum.
  package var namedLatencies: [(name: String, seconds: Double)] {
    [("mean", latencies.mean)] + [50, 90, 95, 99].map { ("p\($0)", latencies.percentile(Double($0))) }
      + [("max", latencies.longest)]
  }

  /// The failures by their codes, the most frequent first.
  package var rankedFailures: [(key: String, value: FailureGroup)] {
    failures.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
  }

  /// The waits by their reasons, the longest first.
  package var rankedWaits: [(key: WaitReason, value: Wait)] { waits.sorted { $0.value.seconds > $1.value.seconds } }

  package struct Wait: Sendable, Equatable {
    package var count = 0
    package var seconds = 0.0
  }

  /// Rows that failed with the same code.
  package struct FailureGroup: Sendable, Equatable {
    package static let mostRows = 100
    package var count = 0
    /// The reason of the first row.
    package var reason: String
    package var status: Int?
    /// The numbers of the first rows.
    package var rows: [Int] = []
  }

  package init() {}

  /// Counts a request. `status` is 0 without an answer.
  package mutating func requestEnded(latency: Double, status: Int, at time: Double) {
    latencies.record(latency)
    series.requestEnded(latency: latency)
    statusCounts[statusCounts.indices.contains(status) ? status : 0] += 1
  }

  package mutating func retried(code: String) { retries[code, default: 0] += 1 }

  package mutating func waited(seconds: Double, reason: WaitReason) {
    waits[reason, default: Wait()].count += 1
    waits[reason, default: Wait()].seconds += seconds
  }

  package mutating func failed(_ failure: RowFailure) {
    var group = failures[failure.code] ?? FailureGroup(reason: failure.reason, status: failure.status)
    group.count += 1
    if group.rows.count < FailureGroup.mostRows { group.rows.append(failure.row) }
    failures[failure.code] = group
  }

  /// Takes a sample; called several times a second. The counts of rows are those of this run.
  package mutating func sample(settled: Int, failed: Int, inFlight: Int, limit: Int, at time: Double) {
    highestInFlight = max(highestInFlight, inFlight)
    series.sample(settled: settled, failed: failed, inFlight: inFlight, limit: limit, at: time)
  }

  package mutating func finish(at time: Double) { series.finish(at: time) }
}
