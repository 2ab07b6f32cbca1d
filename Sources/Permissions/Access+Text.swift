extension Access {
  /// Without what would let a name rewrite the screen or the line around it.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: "\u{FFFD}"
          // Marks that nobody sees, such as variation selectors.
          case .nonspacingMark where scalar.properties.isDefaultIgnorableCodePoint: "\u{FFFD}"
          default: scalar
          }
        }))
  }

  /// The same, without room that would push what is told to where nobody looks: what looks like a space and is none is
  /// shown as a mark, and several in a row as their number.
  package static func shown(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    var rest = Self.printable(text).unicodeScalars[...]
    while let scalar = rest.first {
      let blanks = rest.prefix(while: isBlank)
      switch blanks.count {
      case 0: shown.append(scalar)
      case 1: shown.append(scalar == " " ? scalar : "␣")
      default: shown.append(contentsOf: "[\(blanks.count) blanks]".unicodeScalars)
      }
      rest = rest.dropFirst(max(1, blanks.count))
    }
    return String(shown)
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // The pattern of braille without a dot, and fillers of Hangul, which count as symbols and letters.
    case 0x2800, 0x115F, 0x1160, 0x3164, 0xFFA0: true
    default: scalar.properties.isWhitespace
    }
  }
}
