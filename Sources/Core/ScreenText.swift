/// The one door for text to a terminal. Foreign text in it cannot move the cursor, hide text or give the terminal a command:
/// `shown` replaces all control sequences except those of `painted`.
package enum ScreenText {
  // Two scalars for private use, which nobody outside the process can guess.
  private static let mark = [UInt32.random(in: 0xF0000...0xFFFFD), UInt32.random(in: 0xF0000...0xFFFFD)]
    .reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1) ?? "\u{F0000}") }
  private static let end = "m"

  /// `text` in the style of the parameters of SGR (ECMA-48, 8.3.117), such as `1;31`. Only `shown` makes control sequences of it.
  package static func painted(_ text: String, _ style: String) -> String {
    text.isEmpty ? "" : "\(mark)\(style)\(end)\(text)\(mark)0\(end)"
  }

  /// The text as a terminal gets it. Line breaks and tabs stay.
  package static func shown(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A || $0 >= 0x7F }) else { return text }
    let pieces = text.split(separator: mark, omittingEmptySubsequences: false)
    return pieces.dropFirst().reduce(String(pieces[0]).displayableLines) { shown, piece in
      let style = String(piece.unicodeScalars.prefix { $0 != "m" })
      return
        "\(shown)\u{1B}[\(style)m\(String(piece.unicodeScalars.dropFirst(style.unicodeScalars.count + 1)).displayableLines)"
    }
  }
}
