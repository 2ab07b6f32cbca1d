extension String {
  /// The text as one line of a terminal may show it: what would move the cursor, change colors or the order of reading, or
  /// be taken for a command of the terminal stands as a visible mark instead.
  package var displayable: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var clean = String.UnicodeScalarView()
    clean.reserveCapacity(unicodeScalars.count)
    for scalar in replacing("\r\n", with: "\n").unicodeScalars { clean.append(Self.mark(for: scalar)) }
    return String(clean)
  }

  /// The same of a text of several lines, which stay.
  package var displayableLines: String {
    split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).displayable }.joined(
        separator: "\t")
    }.joined(separator: "\n")
  }

  private static func mark(for scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x09: " "
    case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: "⏎"
    // The pictures Unicode has for the other control characters.
    case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "␡"
    case 0x80..<0xA0: "\u{FFFD}"
    // Joiners and tags make emoji; the other invisible ones turn around what stands beside them, or hide.
    case 0x200C, 0x200D, 0xE0020...0xE007F: scalar
    default: scalar.properties.generalCategory == .format ? "\u{FFFD}" : scalar
    }
  }

  /// As much of it as `columns` hold, with "…" at its end where that is less than all.
  package func clipped(to columns: Int) -> String {
    if utf8.count <= columns, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var width = 0
    var end: Index?
    for index in indices {
      let next = width + self[index...index].displayWidth
      if end == nil, next > columns - 1 { end = index }
      if next > columns { return columns < 1 ? "" : self[..<(end ?? index)] + "…" }
      width = next
    }
    return self
  }

  /// Exactly as wide as `columns`: clipped, or filled up with spaces.
  package func fitted(to columns: Int, alignedRight: Bool = false) -> String {
    let text = clipped(to: columns)
    let padding = String(repeating: " ", count: max(0, columns - text.displayWidth))
    return alignedRight ? padding + text : text + padding
  }
}
