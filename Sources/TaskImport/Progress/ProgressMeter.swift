/// Rows a second over a sliding window, so that the figure follows the server without jumping.
struct ProgressMeter {
  private static let window = 5.0

  private var samples: [(seconds: Double, settled: Int)] = [(0, 0)]
  /// The rate that was given last.
  private(set) var latest = 0.0

  /// The rate, now that `settled` rows are settled after `seconds`.
  mutating func rate(settled: Int, at seconds: Double) -> Double {
    samples.append((seconds, settled))
    while samples.count > 2, samples[1].seconds < seconds - Self.window { samples.removeFirst() }
    let past = seconds - samples[0].seconds
    latest = past > 0 ? Double(settled - samples[0].settled) / past : 0
    return latest
  }
}
