/// The course of an import, in points of a second. In a long one, neighbors are joined to at most `capacity` points.
package struct TimeSeries: Sendable {
  package static let capacity = 600

  package struct Point: Sendable, Equatable {
    /// Its beginning, in seconds since the import began, and its duration.
    package var start: Double
    package var seconds: Double
    /// The rows settled in it, and those of them that failed.
    package var rows = 0
    package var failed = 0
    /// The requests that ended in it, and their latencies in seconds; in joined points, means weighted by requests.
    package var requests = 0
    package var median = 0.0
    package var percentile95 = 0.0
    package var percentile99 = 0.0
    /// The mean number of requests under way.
    package var inFlight = 0.0
    /// The limit of requests under way, at its end.
    package var limit = 0

    fileprivate func joined(_ next: Point) -> Point {
      var point = self
      point.seconds += next.seconds
      point.rows += next.rows
      point.failed += next.failed
      point.requests += next.requests
      let share = point.requests > 0 ? Double(next.requests) / Double(point.requests) : 0
      point.median += (next.median - median) * share
      point.percentile95 += (next.percentile95 - percentile95) * share
      point.percentile99 += (next.percentile99 - percentile99) * share
      let part = point.seconds > 0 ? next.seconds / point.seconds : 0
      point.inFlight += (next.inFlight - inFlight) * part
      point.limit = next.limit
      return point
    }
  }

  package private(set) var points: [Point] = []
  /// The duration of a point in seconds.
  private var interval = 1.0

  private var start = 0.0
  private var latencies = LatencyHistogram()
  private var samples = (count: 0, inFlight: 0)
  private var known = (settled: 0, failed: 0, limit: 0)
  /// The numbers of rows at the beginning of the present point.
  private var before = (settled: 0, failed: 0)

  mutating func requestEnded(latency: Double) { latencies.record(latency) }

  /// Takes a sample. The counts of rows are those of this run.
  mutating func sample(settled: Int, failed: Int, inFlight: Int, limit: Int, at time: Double) {
    known = (settled, failed, limit)
    samples.count += 1
    samples.inFlight += inFlight
    if time - start >= interval { close(at: time) }
  }

  mutating func finish(at time: Double) { if latencies.count > 0 || known.settled > before.settled { close(at: time) } }

  private mutating func close(at time: Double) {
    var point = Point(start: start, seconds: time - start)
    point.rows = known.settled - before.settled
    point.failed = known.failed - before.failed
    point.requests = latencies.count
    point.median = latencies.percentile(50)
    point.percentile95 = latencies.percentile(95)
    point.percentile99 = latencies.percentile(99)
    point.inFlight = samples.count > 0 ? Double(samples.inFlight) / Double(samples.count) : 0
    point.limit = known.limit
    points.append(point)
    if points.count == Self.capacity {
      for index in 0..<points.count / 2 { points[index] = points[2 * index].joined(points[2 * index + 1]) }
      points.removeLast(points.count / 2)
      interval *= 2
    }
    start = time
    latencies.removeAll()
    samples = (0, 0)
    before = (known.settled, known.failed)
  }
}
