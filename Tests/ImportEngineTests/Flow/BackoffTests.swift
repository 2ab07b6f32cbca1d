import Testing

@testable import ImportEngine

@Suite struct BackoffTests {
  @Test func spansDoubleUpToTheLongest() {
    var generator = SeededGenerator(seed: 1)
    let backoff = Backoff(first: 0.5, longest: 10)
    for (attempt, span) in [(1, 0.5), (2, 1), (3, 2), (4, 4), (5, 8), (6, 10), (7, 10), (1000, 10)] {
      let delays = (0..<500).map { _ in backoff.delay(attempt: attempt, using: &generator) }
      #expect(delays.allSatisfy { (0...span).contains($0) })
      // All of the span is used, not only a part of it.
      #expect(delays.min()! < 0.05 * span)
      #expect(delays.max()! > 0.95 * span)
    }
  }

  @Test func noDelayAtAll() {
    var generator = SystemRandomNumberGenerator()
    #expect(Backoff(first: 0, longest: 0).delay(attempt: 3, using: &generator) == 0)
  }
}
