import Core

/// An option of a command line, of the program or of a script. It is declared as help shows it: `--policy NAME`,
/// `-n, --limit COUNT`, `--json`, `--local[=DATA]`.
package struct CommandOption: Sendable {
  package let spelling: String
  /// The name without the dashes.
  package let name: String
  /// The letter of the short form `-n`.
  package let letter: String?
  /// The word for the value; nil for a switch.
  package let placeholder: String?
  /// True if the value is optional. A value follows an equals sign.
  package let isValueOptional: Bool
  package let doc: String
  /// The values to choose from; empty where any may be given.
  package var choices: [String]
  /// The words of the first position with which the option does something; nil for all. An empty word stands for none.
  package var actions: [String]?
  /// True if the option accepts values other than the choices, because plugins may add values.
  package var isOpen = false
  /// The name of the value in a script: `login_hint` for `--login-hint`.
  package var key: String
  /// The default value as help shows it; nil for none.
  package var shownDefault: String?

  /// True if the value is a path, or another text that the system takes as bytes.
  package var takesBytes: Bool { placeholder.map { Self.wordsForBytes.contains($0) } ?? false }
  private static let wordsForBytes: Set = ["FILE", "PATH", "DATA", "DIR", "OUT", "PROGRAM", "KEY=VALUE"]
  package var longName: String { "--\(name)" }
  /// The short form and the long form.
  package var names: [String] { (letter.map { ["-\($0)"] } ?? []) + [longName] }

  /// Returns nil for a spelling that is none.
  package init?(_ spelling: String, _ doc: String, choices: [String] = []) {
    // By bytes: each start declares all options, and characters cost ten times as much.
    var words = spelling.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)[...]
    var letter: String?
    if let first = words.first, first.count == 3, first.first == UInt8(ascii: "-"), first.last == UInt8(ascii: ",") {
      letter = String(Substring(first.dropFirst().dropLast()))
      words.removeFirst()
    }
    guard let long = words.popFirst(), long.starts(with: "--".utf8), words.count <= 1, words.first?.isEmpty != true
    else { return nil }
    let name = long.dropFirst(2).prefix { $0 != UInt8(ascii: "[") }
    let optional = long[name.endIndex...]
    guard optional.isEmpty || optional.starts(with: "[=".utf8), let first = name.first, Self.isLetter(first),
      letter?.utf8.allSatisfy(Self.isLetter) != false,
      name.allSatisfy({
        Self.isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
      })
    else { return nil }
    self.spelling = spelling
    self.doc = doc
    self.name = String(Substring(name))
    self.letter = letter
    isValueOptional = !optional.isEmpty
    placeholder =
      isValueOptional
      ? String(Substring(optional.dropFirst(2).dropLast())) : words.first.map { String(Substring($0)) }
    self.choices = choices
    key = String(decoding: name.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

  /// The description of the option, with its choices and its default value.
  package var described: String {
    var text = doc
    if !choices.isEmpty, !doc.contains(choices.joined(separator: ", ")) {
      text += ": \(choices.joined(separator: ", "))"
    }
    if let shownDefault { text += " (\(shownDefault) if not given)" }
    return text
  }
}

extension CommandOption {
  /// Takes the option `word` and its value off a command line. Returns its place in `options`, and the value's text.
  /// - Parameters:
  ///   - rest: the words that follow.
  ///   - help: the command that lists the options: `b2c-run import --help`.
  package static func take(
    _ word: String, _ rest: inout ArraySlice<String>, from options: [CommandOption], listedBy help: String
  ) throws(UsageError) -> (index: Int, text: String?) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    guard let index = options.firstIndex(where: { $0.names.contains(name) }) else {
      let known = options.map(\.longName) + ["--help"]
      throw UsageError(
        "unknown option \(name)",
        hint: Synonyms.option(name, among: known) ?? nearestName(to: name, in: known).map { "did you mean \($0)?" }
          ?? "\(help) lists them")
    }
    let option = options[index]
    var text = parts.count == 2 ? parts[1] : nil
    guard let placeholder = option.placeholder else {
      if text != nil { throw UsageError("\(name) takes no value", option) }
      return (index, nil)
    }
    if text == nil, !option.isValueOptional {
      text = rest.popFirst()
      if text == nil { throw UsageError("\(name): expected \(placeholder) after it", option) }
    }
    if let text, !option.choices.isEmpty, !option.isOpen, !option.choices.contains(text) {
      throw UsageError(
        "\(name): expected one of \(option.choices.joined(separator: ", ")), got '\(text)'", option,
        hint: didYouMean(text, among: option.choices))
    }
    return (index, text)
  }
}
