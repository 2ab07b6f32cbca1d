/// Returns the candidate most like `name`; nil if more than a third of the characters (but at least one) differ in
/// each. Names beyond `longestName` and candidates behind the first `mostNames` are not compared: that takes long.
package func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
  guard name.utf8.count <= longestName else { return nil }
  let length = name.count
  let allowed = max(1, length / 3)
  // A name whose length differs by more is not near.
  let near = candidates.prefix(mostNames).filter { $0.utf8.count <= longestName && abs($0.count - length) <= allowed }
  let letters = Array(name.lowercased())
  let ranked = near.compactMap { candidate in
    editDistance(letters, Array(candidate.lowercased()), atMost: allowed).map { (name: candidate, distance: $0) }
  }
  return ranked.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
}

/// In bytes.
package let longestName = 200
private let mostNames = 10_000

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbors each cost one. Nil if it is
/// larger than `most`.
private func editDistance(_ a: [Character], _ b: [Character], atMost most: Int) -> Int? {
  var beforeLast = [Int](repeating: 0, count: b.count + 1)
  var last = Array(0...b.count)
  var row = beforeLast
  for i in a.indices {
    row[0] = i + 1
    for j in b.indices {
      var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row[j + 1] = cost
    }
    // A swap reaches back by two rows.
    guard min(row.min() ?? 0, last.min() ?? 0) <= most else { return nil }
    (beforeLast, last, row) = (last, row, beforeLast)
  }
  return last[b.count] <= most ? last[b.count] : nil
}
