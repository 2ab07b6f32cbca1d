extension String {
  /// A statement in a message: one line of at most 120 characters.
  package var abbreviatedSQL: String {
    let line = split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count <= 120 ? line : line.prefix(119) + "…"
  }
}
