/// A command that opens an address in a browser: a program and its arguments.
struct BrowserCommand: Equatable {
  /// A name looked up in PATH, or a path.
  let program: String
  let arguments: [String]

  /// The commands that `$BROWSER` names, in its order: commands with `:` between them, the address in place of `%s`, else behind the
  /// last argument; `%%` is a percent sign. Words may be quoted. No shell has a part in it.
  static func named(in variable: String, url: String) -> [BrowserCommand] {
    variable.split(separator: ":").compactMap { entry in
      var words = words(of: entry)
      // A shell's way of saying "do not wait", which is done anyway.
      if words.last == "&" { words.removeLast() }
      guard let program = words.first, !program.isEmpty else { return nil }
      var hasPlace = false
      var arguments = words.dropFirst().map { word in
        hasPlace = hasPlace || word.replacing("%%", with: "").contains("%s")
        return fill(word, url)
      }
      if !hasPlace { arguments.append(url) }
      return BrowserCommand(program: program, arguments: arguments)
    }
  }

  /// The commands without `$BROWSER`: first those that ask the desktop, then usual browsers.
  static func usual(url: String) -> [BrowserCommand] {
    [
      ("xdg-open", []), ("gio", ["open"]), ("wslview", []), ("x-www-browser", []), ("sensible-browser", []),
      ("firefox", []), ("firefox-esr", []), ("chromium", []), ("google-chrome", []),
    ].map { BrowserCommand(program: $0, arguments: $1 + [url]) }
  }

  private static func fill(_ word: String, _ url: String) -> String {
    var filled = ""
    var rest = Substring(word)
    while let mark = rest.firstIndex(of: "%") {
      filled += rest[..<mark]
      let code = rest[mark...].dropFirst().first
      filled += code == "s" ? url : "%"
      rest = rest[mark...].dropFirst(code == "s" || code == "%" ? 2 : 1)
    }
    return filled + rest
  }

  private static func words(of entry: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in entry {
      if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return word.map { words + [$0] } ?? words
  }
}
