enum Alignment {
  /// Longer lists, without their common beginning and end, are not compared: each of their elements stands alone.
  private static let longest = 2000

  /// Pairs the longest common subsequence. An element of one list only stands alone, that of the first list in front.
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
    pairs += middle(left, right).map { pair in (pair.first.map { $0 + start }, pair.second.map { $0 + start }) }
    return pairs + (0..<tail).map { (first.count - tail + $0, second.count - tail + $0) }
  }

  private static func middle(_ left: [String], _ right: [String]) -> [(first: Int?, second: Int?)] {
    guard !left.isEmpty, !right.isEmpty, left.count <= longest, right.count <= longest else {
      return left.indices.map { ($0, nil) } + right.indices.map { (nil, $0) }
    }
    var (removed, inserted) = (Set<Int>(), Set<Int>())
    for change in right.difference(from: left) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var pairs: [(first: Int?, second: Int?)] = []
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      let (isRemoved, isInserted) = (removed.contains(i), !removed.contains(i) && inserted.contains(j))
      pairs.append((isInserted ? nil : i, isRemoved ? nil : j))
      if !isInserted { i += 1 }
      if !isRemoved { j += 1 }
    }
    return pairs
  }
}
