/// How long requests took: counts by size, in buckets that are about 3 % wide (as HdrHistogram's), so that a million
/// requests need no more memory than one and percentiles are right within 2 %.
package struct LatencyHistogram: Sendable, Equatable {
  /// Each doubling has `1 << precision` buckets.
  private static let precision = 5
  /// Nanoseconds are counted with so many bits: up to 73 minutes.
  private static let bits = 42

  private var counts = [Int](repeating: 0, count: (bits - precision + 1) << precision)
  package private(set) var count = 0
  /// The sum, and the longest one, in seconds; exact.
  package private(set) var total = 0.0
  package private(set) var longest = 0.0

  package init() {}

  /// Counts one that took `seconds`.
  package mutating func record(_ seconds: Double) {
    counts[Self.bucket(seconds)] += 1
    count += 1
    total += seconds
    if seconds > longest { longest = seconds }
  }

  /// The mean in seconds; 0 of nothing.
  package var mean: Double { count > 0 ? total / Double(count) : 0 }

  /// The time in seconds that `percent` of 100 did not exceed; 0 of nothing.
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

  /// Empties it, keeping the memory.
  package mutating func removeAll() {
    for index in counts.indices { counts[index] = 0 }
    count = 0
    total = 0
    longest = 0
  }

  private static func bucket(_ seconds: Double) -> Int {
    // Also what is no time at all: negative, not a number, endless.
    let nanoseconds = seconds > 0 ? UInt64(min(seconds * 1e9, Double((1 << bits) - 1))) : 0
    let shift = max(0, UInt64.bitWidth - nanoseconds.leadingZeroBitCount - precision - 1)
    return shift << precision + Int(nanoseconds >> UInt64(shift))
  }

  /// In seconds.
  private static func middle(_ bucket: Int) -> Double {
    let shift = max(0, bucket >> precision - 1)
    let low = (bucket - shift << precision) << shift
    return (Double(low) + Double(1 << shift) / 2) / 1e9
  }
}
