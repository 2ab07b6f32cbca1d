/// How long to wait before a request is sent again: a random part of a span that doubles ("full jitter"), so that those
/// who failed together do not come back together.
package struct Backoff: Sendable {
  private let first: Double
  private let longest: Double

  /// - Parameters:
  ///   - first: the span before the first repetition, in seconds.
  ///   - longest: the longest span, in seconds.
  package init(first: Double, longest: Double) {
    self.first = first
    self.longest = longest
  }

  /// The wait in seconds before the repetition with that number, counting from 1.
  func delay(attempt: Int) -> Double {
    var generator = SystemRandomNumberGenerator()
    return delay(attempt: attempt, using: &generator)
  }

  func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Double {
    let span = min(longest, first * Double(1 << min(max(attempt, 1) - 1, 30)))
    return span > 0 ? .random(in: 0...span, using: &generator) : 0
  }
}
