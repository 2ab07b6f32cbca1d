struct CommandLine: Sendable {
  let text: String
  /// The program, where the command is plain words, which a shell takes as they stand; nil where it may do more.
  let program: String?

  init(_ text: String) {
    self.text = text
    program = Self.isPlain(text) ? text.split(whereSeparator: { $0 == " " || $0 == "\t" }).first.map(String.init) : nil
  }

  /// True if there is nothing in it by which a shell does something else: other commands, variables, patterns, redirections.
  private static func isPlain(_ text: String) -> Bool {
    let program = text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
    // NAME=VALUE sets a variable for what stands behind it.
    guard !program.isEmpty, !program.utf8.contains(UInt8(ascii: "=")) else { return false }
    return ShellWord.isPlain(text, besides: " \t_-./:=,+@%^")
  }
}

/// A word as a shell takes it.
package enum ShellWord {
  package static func quoted(_ word: String) -> String {
    if isPlain(word, besides: "_-./:=,+@%"), !word.isEmpty { return word }
    if Access.printable(word) != word { return "$'" + word.utf8.map(escaped).joined() + "'" }
    return "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// True if the text has only letters, digits, bytes beyond ASCII, and the marks.
  fileprivate static func isPlain(_ text: String, besides marks: String) -> Bool {
    text.utf8.allSatisfy { byte in
      byte >= 0x80 || UnicodeScalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte)
        || marks.utf8.contains(byte)
    }
  }

  /// As between `$'` and `'` in bash.
  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
    case 0x20..<0x7f: String(UnicodeScalar(byte))
    default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
}
