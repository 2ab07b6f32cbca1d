package import CommandLine
import Core
package import HostLoop
package import Lua

/// The command line that a script declares to `term.options`, with the values of its options.
package struct ScriptDeclaration: Sendable {
  /// The declaration without the values.
  package let declaration: CommandDeclaration
  /// The options, in the order of their declarations.
  package let options: [ScriptOption]
  /// The function that takes the options; nil where only the script reads them.
  package let function: String?

  /// Nobody reads the help of more.
  private static let most = 1000

  /// The keys of a declaration.
  package static let keys: [Parameter] = [
    .optional("summary", .string, "A sentence that describes the script; --help prints it."),
    .optional(
      "options", .list(of: .record(.declaredOption)),
      "The options. Each is { \"--name VALUE\", \"what it does\" }; \"-n, --name VALUE\" has a short form, \"--name\" is a switch."
    ),
    .optional(
      "positions", .list(of: .record(.declaredPosition)),
      "The positional arguments. Each is { \"NAME\", \"what it is\" }; \"[NAME]\" is optional, \"FILE...\" "
        + "stands for one or more arguments."),
    .optional(
      "usage", .words, "The arguments after the script's name, instead of the positions; a list for several forms."),
    .optional("notes", .string, "The end of the text that --help prints."),
  ]

  /// The key of a script's declaration alone: a plugin's function gets the options itself.
  package static let taking = Parameter(
    "takes", .string, optional: true,
    "The name of a function of the API, such as \"tasks.import\". The command line gets the options of this "
      + "function, as far as they can be typed. Error messages name such an option as it was typed.")

  /// Reads the declaration. Throws for one that makes no sense, naming the entry. Options of `functions` may be taken.
  @HostActor package init(_ arguments: Arguments, command: String, functions: () -> [HostFunction] = { [] })
    throws(LuaError)
  {
    var options: [ScriptOption] = []
    for (offset, entry) in try Self.entries("options", arguments).enumerated() {
      options.append(try ScriptOption(entry, "option \(offset + 1)", arguments))
    }
    if let name = arguments["takes"].string {
      let functions = functions()
      guard let function = functions.first(where: { $0.name == name }) else {
        throw arguments.failure(
          option: "takes", "there is no function '\(name)'", hint: didYouMean(name, among: functions.map(\.name)))
      }
      let taken = function.parameters.flatMap { $0.type.optionKeys ?? [] }.compactMap { ScriptOption($0) }
      options = taken.filter { option in !options.contains { $0.option.name == option.option.name } } + options
    }
    var positions: [CommandDeclaration.Position] = []
    for (offset, entry) in try Self.entries("positions", arguments).enumerated() {
      let place = "position \(offset + 1)"
      guard let table = entry.table, let spelling = table[.integer(1)].string, let doc = table[.integer(2)].string
      else { throw arguments.failure("\(place): expected { \"NAME\", \"what it is\" }") }
      try table.checkKeys(LuaRecord.declaredPosition, place, arguments)
      positions.append(
        CommandDeclaration.Position(
          spelling, doc, choices: try table["choices"].table?.texts ?? [], fallback: table["default"].string ?? ""))
    }
    let actions = (positions.first?.choices ?? []) + [""]
    for option in options.map(\.option) {
      guard let unknown = option.actions?.first(where: { !actions.contains($0) }) else { continue }
      throw arguments.failure(
        "\(option.longName): with: '\(unknown)' is not a choice of the first position",
        hint: didYouMean(unknown, among: actions))
    }
    var usage = try arguments["usage"].table?.texts ?? []
    if let line = arguments["usage"].string { usage = [line] }
    declaration = CommandDeclaration(
      command, arguments["summary"].string ?? "", usage: usage, notes: arguments["notes"].string,
      options: options.map(\.option), positions: positions)
    self.options = options
    function = arguments["takes"].string
  }

  @HostActor private static func entries(_ name: String, _ arguments: Arguments) throws(LuaError) -> [LuaValue] {
    guard let table = arguments[name].table else { return [] }
    guard table.count <= most else {
      throw arguments.failure(option: name, "expected a list of at most \(most), got \(table.count)")
    }
    return try table.elements
  }
}

extension ScriptDeclaration {
  /// `error` in the words of the command line if it is about an option that the command line has passed to the function.
  package func named(_ error: LuaError) -> LuaError {
    guard let function, let name = error.subject?.option(of: function), let problem = error.subject?.problem,
      let option = options.first(where: { $0.key == name })?.option
    else { return error }
    return LuaError(UsageError("\(declaration.command): \(option.longName): \(problem)", option, hint: error.hint))
  }

  /// The words behind the script, read by the declaration.
  package struct Reading {
    /// True for `--help`: the rest is then not read.
    package var isHelpWanted = false
    /// The values of the options, by their names in scripts.
    package var values: [String: LuaValue] = [:]
    /// The positional arguments.
    package var words: [String] = []
  }

  /// Reads the words behind the script. Throws for a word that the declaration has no place for.
  /// - Parameter hostOptions: the options of the program, which may stand behind the script by mistake.
  @HostActor package func read(_ arguments: [String], hostOptions: Set<String>) throws(UsageError) -> Reading {
    let (known, command) = (declaration.options, declaration.command)
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
      let isDeclared = known.contains { $0.names.contains(name) }
      if name == "--help" || name == "-h", !isDeclared {
        reading.isHelpWanted = true
        return reading
      }
      do throws(UsageError) {
        if hostOptions.contains(name), !isDeclared {
          throw UsageError(
            "unknown option \(name)", hint: "\(name) is an option of b2c-run; write it before \(command)")
        }
        let (index, text) = try CommandOption.take(word, &rest, from: known, listedBy: "b2c-run \(command) --help")
        let option = options[index]
        given.insert(known[index].name)
        let value = if let text { try option.value(of: text, as: name) } else { LuaValue.boolean(true) }
        if option.isList { lists[option.key, default: []].append(value) } else { reading.values[option.key] = value }
      } catch { throw error.of(command) }
    }
    for option in options where reading.values[option.key] == nil {
      reading.values[option.key] = option.value(ofList: lists[option.key])
    }
    try declaration.check(reading.words, given)
    return reading
  }
}

extension ScriptOption {
  /// The value of an option that was not given, or of one that was given several times.
  fileprivate func value(ofList list: [LuaValue]?) -> LuaValue {
    if let list { return isTaken ? .path(list.compactMap(\.path).joined(separator: ",")) : .list(list) }
    return option.placeholder == nil && fallback.isNil ? .boolean(false) : fallback
  }
}

extension ScriptOption {
  @HostActor fileprivate init(_ entry: LuaValue, _ place: String, _ arguments: Arguments) throws(LuaError) {
    let types: [String: LuaType] = ["string": .string, "integer": .integer, "number": .number]
    guard let table = entry.table, let spelling = table[.integer(1)].string, let doc = table[.integer(2)].string else {
      throw arguments.failure("\(place): expected { \"--name VALUE\", \"what it does\" }")
    }
    try table.checkKeys(LuaRecord.declaredOption, place, arguments)
    let typeName = table["type"].string ?? "string"
    guard let type = types[typeName] else {
      let names = LuaRecord.valueTypes.map { "\"\($0)\"" }.joined(separator: ", ")
      throw arguments.failure("\(place): type: expected one of \(names), got \"\(typeName)\"")
    }
    let choices = try table["choices"].table?.texts ?? []
    guard var option = CommandOption(spelling, doc, choices: choices), !option.isValueOptional else {
      throw arguments.failure("\(place): expected { \"--name VALUE\", \"what it does\" }")
    }
    let fallback = table["default"]
    option.actions = try table["with"].table?.texts
    option.shownDefault = fallback.string ?? fallback.integer.map(String.init)
    self.init(option, type, fallback: fallback, isList: table["many"].isTrue)
  }
}

extension LuaTable {
  /// Throws for a key of an entry that the record does not have, beside its two texts.
  fileprivate func checkKeys(_ record: LuaRecord, _ place: String, _ arguments: Arguments) throws(LuaError) {
    let known = record.fields.map(\.name)
    for pair in try pairs where pair.key.integer.map({ (1...2).contains($0) }) != true {
      guard let name = pair.key.string, pair.key.integer == nil else {
        throw arguments.failure("\(place): expected two texts and names, got a \(pair.key.typeName) as key")
      }
      guard !known.contains(name) else { continue }
      throw arguments.failure(
        "\(place): unknown key '\(name)'",
        hint: nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
          ?? "known are \(known.joined(separator: ", "))")
    }
  }
}

extension LuaRecord {
  fileprivate static let valueTypes = ["string", "integer", "number"]

  fileprivate static let declaredPosition = LuaRecord(
    "declared position",
    "A positional argument of a script: its first element is the spelling, its second element the description.",
    .optional("choices", .list(of: .string), "The words to choose from."),
    .optional("default", .string, "The choice that counts if there is no word."))

  fileprivate static let declaredOption = LuaRecord(
    "declared option", "An option of a script: its first element is the spelling, its second element the description.",
    .optional("default", .any, "The value if the option is not given."),
    .optional("choices", .list(of: .string), "The values to choose from."),
    .optional("type", .choice(valueTypes), "The type of the value; a string if not given."),
    .optional("many", .boolean, "True if the option may be repeated. Its values are then a list."),
    .optional(
      "with", .list(of: .string),
      "The choices of the first position with which the option does something. With others it is an error."))
}
