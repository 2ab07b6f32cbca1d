import Core
package import HostLoop
package import Lua

extension CommandDeclaration {
  /// Nobody reads the help of more.
  private static let most = 1000

  /// The declaration of a command line in Lua.
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
    var options: [CommandOption] = []
    for (offset, entry) in try Self.entries("options", arguments).enumerated() {
      options.append(try CommandOption(entry, "option \(offset + 1)", arguments))
    }
    if let name = arguments["takes"].string {
      let functions = functions()
      guard let function = functions.first(where: { $0.name == name }) else {
        throw arguments.failure(
          option: "takes", "there is no function '\(name)'", hint: didYouMean(name, among: functions.map(\.name)))
      }
      let taken = function.parameters.flatMap { $0.type.optionKeys ?? [] }.compactMap { CommandOption($0) }
      options = taken.filter { option in !options.contains { $0.name == option.name } } + options
    }
    var positions: [Position] = []
    for (offset, entry) in try Self.entries("positions", arguments).enumerated() {
      let place = "position \(offset + 1)"
      guard let table = entry.table, let spelling = table[.integer(1)].string, let doc = table[.integer(2)].string
      else { throw arguments.failure("\(place): expected { \"NAME\", \"what it is\" }") }
      try table.checkKeys(LuaRecord.declaredPosition, place, arguments)
      positions.append(
        Position(
          spelling, doc, choices: try table["choices"].table?.texts ?? [], fallback: table["default"].string ?? ""))
    }
    let actions = (positions.first?.choices ?? []) + [""]
    for option in options {
      guard let unknown = option.actions?.first(where: { !actions.contains($0) }) else { continue }
      throw arguments.failure(
        "\(option.longName): with: '\(unknown)' is not a choice of the first position",
        hint: didYouMean(unknown, among: actions))
    }
    var usage = try arguments["usage"].table?.texts ?? []
    if let line = arguments["usage"].string { usage = [line] }
    self.init(
      command, arguments["summary"].string ?? "", usage: usage,
      notes: arguments["notes"].string, options: options, positions: positions, function: arguments["takes"].string)
  }

  @HostActor private static func entries(_ name: String, _ arguments: Arguments) throws(LuaError) -> [LuaValue] {
    guard let table = arguments[name].table else { return [] }
    guard table.count <= most else {
      throw arguments.failure(option: name, "expected a list of at most \(most), got \(table.count)")
    }
    return try table.elements
  }
}

extension CommandOption {
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
    guard let option = CommandOption(spelling, doc, choices: choices, type: type), !option.isValueOptional else {
      throw arguments.failure("\(place): expected { \"--name VALUE\", \"what it does\" }")
    }
    self = option
    fallback = table["default"]
    isList = table["many"].isTrue
    self.actions = try table["with"].table?.texts
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
