import Core

/// Texts in the room that there is, so that two that differ are still told apart.
enum DistinctTexts {
  /// The texts clipped to `width` columns. Where different texts would look alike, the part that they share is left out in
  /// the middle.
  static func clipped(_ texts: [String], to width: Int) -> [String] {
    var shown = texts.map { $0.clipped(to: width) }
    for (_, places) in Dictionary(grouping: texts.indices, by: { shown[$0] }) where places.count > 1 {
      let alike = places.map { Array(texts[$0]) }
      guard let first = alike.first, Set(alike).count > 1, width > 2 else { continue }
      let shared = alike.dropFirst().reduce(first.count) { min($0, zip(first, $1).prefix { $0 == $1 }.count) }
      let begin = String(first.prefix(min(shared, width / 3))) + "…"
      let rests = clipped(alike.map { String($0.dropFirst(shared)) }, to: width - begin.displayWidth)
      for (place, rest) in zip(places, rests) { shown[place] = begin + rest }
    }
    return shown
  }
}
