extension String {
  /// The text as one line for a terminal. Visible marks replace characters that would move the cursor, change colors, change
  /// the direction of writing or give the terminal a command.
  package var displayable: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var clean = String.UnicodeScalarView()
    clean.reserveCapacity(unicodeScalars.count)
    for scalar in replacing("\r\n", with: "\n").unicodeScalars { clean.append(Self.mark(for: scalar)) }
    return String(clean)
  }

  /// The same for a text of several lines. Its line breaks and tabs stay.
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
    case 0x80..<0xA0, 0x10FF80...0x10FFFF: "\u{FFFD}"
    // Joiners and tags make emoji. Other invisible characters reverse the text beside them, or hide text.
    case 0x200C, 0x200D, 0xE0020...0xE007F: scalar
    default: scalar.properties.generalCategory == .format ? "\u{FFFD}" : scalar
    }
  }

  /// The beginning of the text that fits into `columns`, with "…" at its end if text was cut off.
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

  /// The text clipped or filled with spaces to exactly this number of columns.
  package func fitted(to columns: Int, alignedRight: Bool = false) -> String {
    let text = clipped(to: columns)
    let padding = String(repeating: " ", count: max(0, columns - text.displayWidth))
    return alignedRight ? padding + text : text + padding
  }
}
