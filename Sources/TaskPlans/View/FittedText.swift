import Core

/// Text in the room of a column.
enum FittedText {
  /// The text in lines of at most `width` columns, at most so many lines. Words that are longer than a line are cut.
  static func lines(_ text: String, width: Int, most: Int) -> [String] {
    var (lines, line) = ([String](), "")
    for word in text.split(separator: " ") {
      var rest = String(word)
      if !line.isEmpty, line.displayWidth + 1 + rest.displayWidth > width {
        lines.append(line)
        line = ""
      }
      while rest.displayWidth > width, lines.count <= most {
        let piece = rest.beginning(of: width)
        lines.append(piece)
        rest.removeFirst(piece.count)
      }
      line += line.isEmpty ? rest : " " + rest
      if lines.count > most { break }
    }
    if !line.isEmpty { lines.append(line) }
    guard lines.count > most else { return lines }
    return lines[..<(most - 1)] + [(lines[most - 1] + "…").clipped(to: width)]
  }

  /// Two texts that differ, with an arrow between them, in at most `width` columns.
  static func pair(_ old: String, _ new: String, width: Int) -> String {
    let (old, new) = distinct(old, new, width: max(2, width - 3))
    return "\(old) → \(new)"
  }

  /// The same two texts in at most `width` columns together. What both begin with gives way first.
  static func distinct(_ old: String, _ new: String, width: Int) -> (old: String, new: String) {
    // A short side leaves its room to the other.
    let first = min(old.displayWidth, max(width / 2, width - new.displayWidth))
    let (shortOld, shortNew) = (old.clipped(to: first), new.clipped(to: width - first))
    if shortOld != shortNew || old == new { return (shortOld, shortNew) }
    let half = width / 2
    let start = max(0, zip(old, new).prefix { $0 == $1 }.count - half / 3)
    func end(_ text: String) -> String { ("…" + text.dropFirst(start)).clipped(to: half) }
    return (end(old), end(new))
  }
}

extension String {
  /// The longest beginning of at most `width` columns, and at least one character.
  fileprivate func beginning(of width: Int) -> String {
    var (end, used) = (startIndex, 0)
    while end < endIndex {
      used += self[end...end].displayWidth
      if used > width, end > startIndex { break }
      formIndex(after: &end)
    }
    return String(self[..<end])
  }
}
