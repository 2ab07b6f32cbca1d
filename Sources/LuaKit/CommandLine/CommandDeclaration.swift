package import Automation
import Core
import Documentation
import HostLoop
package import Lua

/// The command line of a command, declared once: parsing, errors, help, completion and manual pages come from it. A script
/// declares it to `term.options`.
package struct CommandDeclaration: Sendable {
  /// A positional argument: `NAME`, `[NAME]` where it may be missing, `FILE...` or `[FILE...]` where there may be many.
  package struct Position: Sendable {
    /// The spelling in help: `FILE...`.
    package let spelling: String
    /// The description in help.
    package let doc: String
    /// The words to choose from; empty where any word may stand.
    package let choices: [String]
    /// The choice if there is no word.
    package let fallback: String
    package var isOptional: Bool { spelling.hasPrefix("[") }
    package var isMany: Bool { ["...", "...]", "…", "…]"].contains { spelling.hasSuffix($0) } }

    package init(_ spelling: String, _ doc: String, choices: [String] = [], fallback: String = "") {
      self.spelling = spelling
      self.doc = doc
      self.choices = choices
      self.fallback = fallback
    }
  }

  /// The name of the command in messages and help.
  package let command: String
  /// A sentence about the command.
  package let summary: String
  /// The forms of the command, in place of the one that is made of the positions.
  package let usage: [String]
  /// The end of the help text.
  package let notes: String?
  /// The options, in the order of the help text.
  package let options: [CommandOption]
  /// The positional arguments.
  package let positions: [Position]
  /// The function that takes the options; nil where only the script reads them.
  package let function: String?

  package init(
    _ command: String, _ summary: String, usage: [String] = [], notes: String? = nil, options: [CommandOption] = [],
    positions: [Position] = [], function: String? = nil
  ) {
    self.command = command
    self.summary = summary
    self.usage = usage
    self.notes = notes
    self.options = options
    self.positions = positions
    self.function = function
  }

  /// `error` in the words of the command line if it is about an option that the command line has passed to the function.
  package func named(_ error: LuaError) -> LuaError {
    guard let function, let name = error.subject?.option(of: function), let problem = error.subject?.problem,
      let option = options.first(where: { $0.key == name })
    else { return error }
    return .usage("\(command): \(option.longName): \(problem)", option, hint: error.hint)
  }

  /// The values of a command line.
  package struct Reading {
    package var isHelpWanted = false
    package var values: [String: LuaValue] = [:]
    package var words: [String] = []
  }

  /// Reads the words behind the script. Throws `usage` for a word that the declaration has no place for.
  /// - Parameter hostOptions: the options of the program, which may stand behind the script by mistake.
  @HostActor package func read(_ arguments: [String], hostOptions: Set<String>) throws(LuaError) -> Reading {
    try withCommandNamed { () throws(LuaError) in try readWords(arguments, hostOptions) }
  }

  /// Throws `usage` for positions that are missing, too many, or none of the choices, and for an option that does nothing.
  /// - Parameter given: the names of the options, such as `json`.
  package func check(_ words: [String], _ given: Set<String>) throws(LuaError) {
    try withCommandNamed { () throws(LuaError) in try checkWords(words, given) }
  }

  private func withCommandNamed<Result>(_ body: () throws(LuaError) -> Result) throws(LuaError) -> Result {
    do throws(LuaError) {
      return try body()
    } catch {
      var error = error
      error.message = "\(command): \(error.message)"
      throw error
    }
  }

  @HostActor private func readWords(_ arguments: [String], _ hostOptions: Set<String>) throws(LuaError) -> Reading {
    var reading = Reading()
    var rest = arguments[...]
    var lists: [String: [LuaValue]] = [:]
    var given: Set<String> = []
    while let word = rest.popFirst() {
      if word == "--" {
        reading.words += rest
        break
      }
      guard word.hasPrefix("-"), word != "-", Double(word) == nil else {
        reading.words.append(word)
        continue
      }
      let name = String(word.prefix { $0 != "=" })
      let isDeclared = options.contains { $0.names.contains(name) }
      if name == "--help" || name == "-h", !isDeclared {
        reading.isHelpWanted = true
        return reading
      }
      if hostOptions.contains(name), !isDeclared {
        throw LuaError.usage(
          "unknown option \(name)", hint: "\(name) is an option of b2c-run; write it before \(command)")
      }
      let (index, text) = try CommandOption.take(word, &rest, from: options, listedBy: "b2c-run \(command) --help")
      let option = options[index]
      given.insert(option.name)
      let value = if let text { try option.value(of: text, as: name) } else { LuaValue.boolean(true) }
      if option.isList { lists[option.key, default: []].append(value) } else { reading.values[option.key] = value }
    }
    for option in options where reading.values[option.key] == nil {
      let list = lists[option.key]
      reading.values[option.key] =
        if let list, option.isTaken {
          .path(list.compactMap(\.path).joined(separator: ","))
        } else if let list {
          .list(list)
        } else if option.placeholder == nil, option.fallback.isNil {
          .boolean(false)
        } else {
          option.fallback
        }
    }
    try checkWords(reading.words, given)
    return reading
  }

  private func checkWords(_ words: [String], _ given: Set<String>) throws(LuaError) {
    try checkPositions(words)
    guard let first = positions.first, !first.choices.isEmpty else { return }
    let action = words.first ?? first.fallback
    // In the order of the declaration, so that the message about several mistakes is always about the same one.
    for option in options where given.contains(option.name) {
      guard let actions = option.actions, !actions.contains(action) else { continue }
      let others = actions.filter { !$0.isEmpty }.joined(separator: ", ")
      throw .usage(
        "\(option.longName) has no effect with \(action.isEmpty ? "\(command) alone" : action)", option,
        hint: "leave it out\(others.isEmpty ? "" : "; it belongs to \(others)")")
    }
  }

  private func checkPositions(_ words: [String]) throws(LuaError) {
    for (position, word) in zip(positions, words) where !position.choices.isEmpty && !position.choices.contains(word) {
      let known = position.choices
      throw .usage(
        "expected \(known.count == 1 ? "" : "one of ")\(known.joined(separator: ", ")), got '\(word)'",
        hint: Synonyms.action(word, among: known) ?? didYouMean(word, among: known)
          ?? (usage.count > 1 ? hintOfUsage : nil))
    }
    if words.count < positions.count, !positions[words.count].isOptional {
      let position = positions[words.count]
      throw .usage("\(position.spelling) is missing: \(position.doc)")
    }
    if words.count > positions.count, positions.last?.isMany != true {
      throw .usage("unexpected argument '\(words[positions.count])'", hint: hintOfUsage)
    }
  }

  private var hintOfUsage: String { "the command is \(usageLines.joined(separator: " or "))" }

  /// The forms of the command: `b2c-run token [options] [NAME]`.
  package var usageLines: [String] {
    let forms = usage.isEmpty ? [(["[options]"] + positions.map(\.spelling)).joined(separator: " ")] : usage
    return forms.map { $0.isEmpty ? "b2c-run \(command)" : "b2c-run \(command) \($0)" }
  }

  /// The text of `--help`.
  package func help(width: Int) -> String {
    let words = positions.map { ($0.spelling, $0.doc) }
    let rows = options.map { ($0.spelling, $0.described) } + [("--help", "print this help")]
    let column = ((words + rows).map(\.0.count).max() ?? 0) + 4
    var page = PageText(width: width)
    if !summary.isEmpty { page.add(summary) }
    page.addBreak()
    for line in usageLines { page.add(code: line) }
    page.addBreak()
    for (word, doc) in words { page.add(word, doc, column: column) }
    page.addBreak()
    page.add("options")
    for (spelling, doc) in rows { page.add(spelling, doc, column: column) }
    if let notes {
      page.addBreak()
      page.add(notes)
    }
    return page.text
  }
}

extension Console {
  /// The columns that help is written in: those of the terminal, but no more than are easy to read.
  package static var helpWidth: Int { min(Console(descriptor: 1).width, 100) }
}

extension CommandOption {
  /// The description of the option, with its choices and its default value.
  package var described: String {
    var text = doc
    if !choices.isEmpty, !doc.contains(choices.joined(separator: ", ")) {
      text += ": \(choices.joined(separator: ", "))"
    }
    if let fallback = fallback.string ?? fallback.integer.map(String.init) { text += " (\(fallback) if not given)" }
    return text
  }
}
