/// The latencies of requests, counted in buckets that are about 3 % wide (like HdrHistogram's): a million requests need
/// no more memory than one, and percentiles are right within 2 %.
package struct LatencyHistogram: Sendable, Equatable {
  /// Each doubling has `1 << precision` buckets.
  private static let precision = 5
  /// Latencies are counted in nanoseconds with so many bits: up to 73 minutes.
  private static let bits = 42

  private var counts = [Int](repeating: 0, count: (bits - precision + 1) << precision)
  package private(set) var count = 0
  /// The exact sum and maximum, in seconds.
  package private(set) var total = 0.0
  package private(set) var longest = 0.0

  package mutating func record(_ seconds: Double) {
    counts[Self.bucket(seconds)] += 1
    count += 1
    total += seconds
    if seconds > longest { longest = seconds }
  }

  /// The mean in seconds; 0 without latencies.
  package var mean: Double { count > 0 ? total / Double(count) : 0 }

  /// The percentile in seconds; 0 without latencies.
  package func percentile(_ percent: Double) -> Double {
    guard count > 0 else { return 0 }
    let rank = max(1, Int((percent / 100 * Double(count)).rounded(.up)))
    guard rank < count else { return longest }
    var seen = 0
    for (bucket, number) in counts.enumerated() where number > 0 {
      seen += number
      if seen >= rank { return min(Self.middle(bucket), longest) }
    }
    return longest
  }

  package mutating func removeAll() {
    for index in counts.indices { counts[index] = 0 }
    count = 0
    total = 0
    longest = 0
  }

  private static func bucket(_ seconds: Double) -> Int {
    // Negative, infinite and undefined times are counted, too.
    let nanoseconds = seconds > 0 ? UInt64(min(seconds * 1e9, Double((1 << bits) - 1))) : 0
    let shift = max(0, UInt64.bitWidth - nanoseconds.leadingZeroBitCount - precision - 1)
    return shift << precision + Int(nanoseconds >> UInt64(shift))
  }

  private static func middle(_ bucket: Int) -> Double {
    let shift = max(0, bucket >> precision - 1)
    let low = (bucket - shift << precision) << shift
    return (Double(low) + Double(1 << shift) / 2) / 1e9
  }
}
