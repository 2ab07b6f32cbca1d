/// Which elements of two lists belong together.
enum Alignment {
  /// Lists that are longer, when what they begin and end with is taken off, are compared place by place.
  private static let longest = 2000

  /// The longest common subsequence; what is in one list only stands alone, that of the first list in front.
  static func pairs(_ first: [String], _ second: [String]) -> [(first: Int?, second: Int?)] {
    var start = 0
    while start < min(first.count, second.count), first[start] == second[start] { start += 1 }
    var tail = 0
    while tail < min(first.count, second.count) - start,
      first[first.count - 1 - tail] == second[second.count - 1 - tail]
    { tail += 1 }
    let left = Array(first[start..<(first.count - tail)])
    let right = Array(second[start..<(second.count - tail)])
    var pairs: [(first: Int?, second: Int?)] = (0..<start).map { ($0, $0) }
    pairs += middle(left, right).map { pair in
      (pair.first.map { $0 + start }, pair.second.map { $0 + start })
    }
    return pairs + (0..<tail).map { (first.count - tail + $0, second.count - tail + $0) }
  }

  private static func middle(_ left: [String], _ right: [String]) -> [(first: Int?, second: Int?)] {
    guard !left.isEmpty, !right.isEmpty, left.count <= longest, right.count <= longest else {
      return left.indices.map { ($0, nil) } + right.indices.map { (nil, $0) }
    }
    // The length of what is common from these places on.
    let width = right.count + 1
    var lengths = [Int32](repeating: 0, count: (left.count + 1) * width)
    for i in left.indices.reversed() {
      for j in right.indices.reversed() {
        lengths[i * width + j] =
          left[i] == right[j]
          ? lengths[(i + 1) * width + j + 1] + 1 : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
      }
    }
    var pairs: [(first: Int?, second: Int?)] = []
    var (i, j) = (0, 0)
    while i < left.count, j < right.count {
      if left[i] == right[j] {
        pairs.append((i, j))
        (i, j) = (i + 1, j + 1)
      } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
        pairs.append((i, nil))
        i += 1
      } else {
        pairs.append((nil, j))
        j += 1
      }
    }
    return pairs + (i..<left.count).map { ($0, nil) } + (j..<right.count).map { (nil, $0) }
  }
}
