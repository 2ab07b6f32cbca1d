import Testing

@testable import ImportEngine

@Suite struct LatencyHistogramTests {
  @Test func percentilesAreRightWithinTwoPercent() {
    var generator = SeededGenerator(seed: 3)
    // From 20 µs to 60 s, as many in each order of magnitude.
    let times = (0..<20_000).map { _ in
      var time = 0.00002
      for _ in 0..<64 { time *= .random(in: 1...1.53, using: &generator) }
      return min(time, 60)
    }
    var histogram = LatencyHistogram()
    for time in times { histogram.record(time) }
    let sorted = times.sorted()
    for percent in [0.1, 1, 10, 50, 90, 95, 99, 99.9] {
      let exact = sorted[Int((percent / 100 * 20_000).rounded(.up)) - 1]
      #expect(abs(histogram.percentile(percent) - exact) <= 0.02 * exact)
    }
    #expect(histogram.percentile(100) == sorted.last!)
    #expect(histogram.longest == sorted.last!)
    #expect(histogram.count == 20_000)
    #expect(abs(histogram.mean - times.reduce(0, +) / 20_000) < 1e-9)
  }

  @Test(arguments: [0.0, -1, .nan, 1e-12, 1e-9, 3.3e-8, 1e-6, 0.5, 4000, 1e9, .infinity])
  func oneOfAnySize(seconds: Double) {
    var histogram = LatencyHistogram()
    histogram.record(seconds)
    #expect(histogram.count == 1)
    guard seconds > 1e-8, seconds < 4400 else { return }
    #expect(abs(histogram.percentile(50) - seconds) <= 0.02 * seconds)
  }

  @Test func nothing() {
    let histogram = LatencyHistogram()
    #expect(histogram.percentile(50) == 0)
    #expect(histogram.mean == 0)
  }

  @Test func emptied() {
    var histogram = LatencyHistogram()
    histogram.record(1)
    histogram.removeAll()
    #expect(histogram == LatencyHistogram())
  }
}
