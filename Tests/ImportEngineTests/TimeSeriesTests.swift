import Testing

@testable import ImportEngine

@Suite struct TimeSeriesTests {
  @Test func aPointASecond() {
    var series = TimeSeries()
    for tick in 1...25 {
      for _ in 0..<10 { series.requestEnded(latency: tick > 10 ? 0.2 : 0.1) }
      series.sample(
        settled: 10 * tick, failed: tick / 10, inFlight: tick > 10 ? 8 : 4, limit: 8, at: Double(tick) / 10)
    }
    series.finish(at: 2.5)
    let points = series.points
    #expect(points.map(\.start) == [0, 1, 2])
    #expect(points.map(\.rows) == [100, 100, 50])
    #expect(points.map(\.failed) == [1, 1, 0])
    #expect(points.map(\.requests) == [100, 100, 50])
    #expect(points.map(\.inFlight) == [4, 8, 8])
    #expect(abs(points[0].median - 0.1) < 0.002)
    #expect(abs(points[1].percentile99 - 0.2) < 0.004)
  }

  /// An hour: no more points than of ten minutes, and no row gets lost between them.
  @Test func longImportsAreBounded() {
    var series = TimeSeries()
    var time = 0.0
    for tick in 1...36_000 {
      time = Double(tick) / 10
      series.requestEnded(latency: 0.05)
      series.sample(settled: 7 * tick, failed: tick, inFlight: 16, limit: 16, at: time)
    }
    series.finish(at: time)
    let points = series.points
    #expect(points.count < TimeSeries.capacity)
    #expect(points.count >= TimeSeries.capacity / 2)
    #expect(points.reduce(0) { $0 + $1.rows } == 7 * 36_000)
    #expect(points.reduce(0) { $0 + $1.failed } == 36_000)
    #expect(points.reduce(0) { $0 + $1.requests } == 36_000)
    #expect(abs(points.reduce(0) { $0 + $1.seconds } - 3600) < 0.001)
    #expect(zip(points, points.dropFirst()).allSatisfy { abs($0.start + $0.seconds - $1.start) < 1e-6 })
    #expect(points.allSatisfy { abs($0.inFlight - 16) < 1e-9 && abs($0.median - 0.05) < 0.001 })
  }

  @Test func nothing() {
    var series = TimeSeries()
    series.finish(at: 0.2)
    #expect(series.points.isEmpty)
  }
}
