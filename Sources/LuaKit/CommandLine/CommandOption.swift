import Core
package import HostLoop
package import Lua

/// An option of a command line, of the program or of a script. It is declared as help shows it: `--policy NAME`,
/// `-n, --limit COUNT`, `--json`, `--local[=DATA]`.
package struct CommandOption: Sendable {
  /// The declaration: `-n, --limit COUNT`.
  package let spelling: String
  /// The name without the dashes.
  package let name: String
  /// The letter of the short form `-n`.
  package let letter: String?
  /// The word for the value; nil for a switch.
  package let placeholder: String?
  /// True if the value is optional. A value follows an equals sign.
  package let isValueOptional: Bool
  /// The description in help.
  package let doc: String
  /// The values to choose from; empty where any may be given.
  package var choices: [String]
  /// The words of the first position with which the option does something; nil for all. An empty word stands for none.
  package var actions: [String]?
  /// True if the option accepts values other than the choices, because plugins may add values.
  private var isOpen = false
  /// The value and its name in a script: `login_hint` for `--login-hint`.
  package let parameter: Parameter
  /// The value if the option is not given.
  package var fallback = LuaValue.nil
  /// True if the option may be given several times. The script then gets a list.
  var isList = false

  /// True if the option comes from the declaration of a function.
  package var isTaken: Bool { parameter.flag != nil }
  package var key: String { parameter.name }
  /// True if the value is a path, or another text that the system takes as bytes.
  package var takesBytes: Bool { placeholder.map { Self.wordsForBytes.contains($0) } ?? false }
  private static let wordsForBytes: Set = ["FILE", "PATH", "DATA", "DIR", "OUT", "PROGRAM", "KEY=VALUE"]
  /// The name with its dashes.
  package var longName: String { "--\(name)" }
  /// The short form and the long form.
  package var names: [String] { (letter.map { ["-\($0)"] } ?? []) + [longName] }

  /// Returns nil for a spelling that is none.
  package init?(
    _ spelling: String, _ doc: String, choices: [String] = [], type: LuaType = .string, _ parameter: Parameter? = nil
  ) {
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
    self.parameter =
      parameter
      ?? Parameter(
        String(decoding: name.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }, as: UTF8.self), type,
        optional: true, in: Parameter.anyNumber)
  }

  /// The form of a function's option on the command line; nil for an option that only scripts have.
  package init?(_ parameter: Parameter) {
    guard let flag = parameter.flag else { return nil }
    let words = parameter.type.hasOnlyWords ? flag.words.map(\.key) + parameter.type.knownWords : []
    self.init(flag.spelling, flag.doc, choices: words, parameter)
    if case .openChoice = parameter.type { isOpen = true }
    isList = flag.isMany
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
}

extension CommandOption {
  /// Takes the option `word` and its value off a command line. Returns its place in `options`, and the value's text.
  /// - Parameters:
  ///   - rest: the words that follow.
  ///   - help: the command that lists the options: `b2c-run import --help`.
  package static func take(
    _ word: String, _ rest: inout ArraySlice<String>, from options: [CommandOption], listedBy help: String
  ) throws(LuaError) -> (index: Int, text: String?) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    guard let index = options.firstIndex(where: { $0.names.contains(name) }) else {
      let known = options.map(\.longName) + ["--help"]
      throw .usage(
        "unknown option \(name)",
        hint: Synonyms.option(name, among: known) ?? nearestName(to: name, in: known).map { "did you mean \($0)?" }
          ?? "\(help) lists them")
    }
    let option = options[index]
    var text = parts.count == 2 ? parts[1] : nil
    guard let placeholder = option.placeholder else {
      if text != nil { throw .usage("\(name) takes no value", option) }
      return (index, nil)
    }
    if text == nil, !option.isValueOptional {
      text = rest.popFirst()
      if text == nil { throw .usage("\(name): expected \(placeholder) after it", option) }
    }
    if let text, !option.choices.isEmpty, !option.isOpen, !option.choices.contains(text) {
      throw .usage(
        "\(name): expected one of \(option.choices.joined(separator: ", ")), got '\(text)'", option,
        hint: didYouMean(text, among: option.choices))
    }
    return (index, text)
  }

  /// Throws `usage`, with the option as given in `word`, for a text that does not have the type of the option.
  @HostActor package func value(of text: String, as word: String) throws(LuaError) -> LuaValue {
    if let boolean = parameter.flag?.words.first(where: { $0.key == text })?.value { return .boolean(boolean) }
    let type = parameter.type
    let number = Int64(text).map { LuaValue.integer($0) } ?? Double(text).flatMap { $0.isFinite ? .number($0) : nil }
    let value = number.flatMap { type.accepts($0) ? $0 : nil } ?? .path(text)
    guard type.accepts(value) else {
      throw .usage("\(word): expected a \(type.accepts(.number(0.5)) ? "number" : "whole number"), got '\(text)'", self)
    }
    if let problem = parameter.problem(with: value) { throw .usage("\(word): \(problem)", self) }
    return value
  }
}

extension LuaType {
  /// True if all values are booleans and words. The declaration lists some or all of the words.
  fileprivate var hasOnlyWords: Bool {
    switch self {
    case .boolean, .choice, .openChoice: true
    case .either(let types): types.allSatisfy(\.hasOnlyWords)
    default: false
    }
  }
}

extension LuaError {
  /// An error of a command line.
  package static func usage(_ message: String, _ option: CommandOption? = nil, hint: String? = nil) -> LuaError {
    LuaError(
      code: "usage", message: message, hint: hint,
      subject: option.map { Subject("term.options", option: $0.key, message) })
  }
}
