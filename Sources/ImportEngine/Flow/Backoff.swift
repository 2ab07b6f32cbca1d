import Core

/// The wait before a request is sent again: a random part of a span that doubles ("full jitter"), so that clients that
/// failed together do not return together. Spans are seconds.
package struct Backoff: Sendable {
  let first: Double
  let longest: Double

  /// The wait in seconds before a repetition; `attempt` counts from 1.
  func delay(attempt: Int) -> Double {
    var generator = RunRandom()
    return delay(attempt: attempt, using: &generator)
  }

  func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Double {
    let span = min(longest, first * Double(1 << min(max(attempt, 1) - 1, 30)))
    return span > 0 ? .random(in: 0...span, using: &generator) : 0
  }
}
