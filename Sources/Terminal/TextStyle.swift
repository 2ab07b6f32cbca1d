import Core

/// The look of text on a terminal.
package struct TextStyle: Sendable, Equatable {
  /// Parameters of SGR (ECMA-48, 8.3.117): attributes, and colors.
  private var attributes: [String] = []
  private var colors: [String] = []

  package static let plain = TextStyle()

  private static let attributeCodes = ["bold": "1", "dim": "2", "italic": "3", "underline": "4", "reverse": "7"]
  private static let colorNames = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

  package static let names =
    attributeCodes.keys.sorted() + colorNames + ["gray"] + colorNames.map { "on_\($0)" } + ["on_gray"]

  private init() {}

  /// - Parameter words: `names` with spaces between them. Throws the unknown word.
  package init(_ words: String) throws(UnknownStyle) {
    for word in words.split(separator: " ").map(String.init) {
      if let code = Self.attributeCodes[word] {
        attributes.append(code)
      } else if let code = Self.code(ofColor: word) {
        colors.append(code)
      } else {
        throw UnknownStyle(word: word)
      }
    }
  }

  private static func code(ofColor word: String) -> String? {
    let isBackground = word.hasPrefix("on_")
    let name = isBackground ? String(word.dropFirst(3)) : word
    if name == "gray" { return isBackground ? "100" : "90" }
    return colorNames.firstIndex(of: name).map { "\((isBackground ? 40 : 30) + $0)" }
  }

  /// `text`, which is one line, between the control sequences of the style.
  package func applied(to text: String, usesColor: Bool) -> String {
    let codes = codes(usesColor: usesColor)
    return codes.isEmpty || text.isEmpty ? text : "\u{1B}[\(codes)m\(text)\u{1B}[0m"
  }

  /// The same for text that goes through the door to the terminal.
  package func painted(_ text: String, usesColor: Bool) -> String {
    let codes = codes(usesColor: usesColor)
    return codes.isEmpty ? text : ScreenText.painted(text, codes)
  }

  private func codes(usesColor: Bool) -> String {
    TerminalScreen.isDumb ? "" : (attributes + (usesColor ? colors : [])).joined(separator: ";")
  }
}

/// An unknown word in a style.
package struct UnknownStyle: Error {
  package let word: String

  package var message: String { "there is no style '\(word)'" }

  package var hint: String {
    nearestName(to: word, in: TextStyle.names).map { "did you mean '\($0)'?" }
      ?? "known are \(TextStyle.names.joined(separator: ", "))"
  }
}

/// A text with its style.
package struct StyledText: Sendable, Equatable {
  package var text: String
  package var style: TextStyle

  package init(_ text: String, _ style: TextStyle = .plain) {
    self.text = text
    self.style = style
  }
}
