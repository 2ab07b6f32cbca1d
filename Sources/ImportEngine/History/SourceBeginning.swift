/// Compares the first rows of two sources: the same file may have been moved, copied or packed, and rows may have been added to
/// it or taken out.
package enum SourceBeginning {
  /// True if three of four of the first rows, and two at least, are the same in both, in the same order.
  /// - Parameters:
  ///   - one: the fingerprints of the first rows of a source.
  ///   - other: those of the other source.
  package static func areAlike<Row: Equatable>(_ one: [Row], _ other: [Row]) -> Bool {
    let count = min(one.count, other.count)
    // One task that both have tells little.
    guard count > 1 else { return false }
    let window = read(of: count)
    return common(one.prefix(window), other.prefix(window)) >= max(2, count - count / 4)
  }

  /// The rows to read of a source, to find `count` rows in it among which others may be.
  package static func read(of count: Int) -> Int { count + max(1, count / 4) }

  /// The length of the longest list of rows that both have in this order.
  private static func common<Row: Equatable>(_ one: ArraySlice<Row>, _ other: ArraySlice<Row>) -> Int {
    var lengths = [Int](repeating: 0, count: other.count + 1)
    for row in one {
      var diagonal = 0
      for (index, another) in other.enumerated() {
        let above = lengths[index + 1]
        lengths[index + 1] = row == another ? diagonal + 1 : max(above, lengths[index])
        diagonal = above
      }
    }
    return lengths[other.count]
  }
}
