import HostLoop
import Lua

/// The command line of a script, as the script declares it to `term.options`: parsing, `--help` and the errors come from
/// this.
package struct ScriptOptions: Sendable {
  /// An option. It is declared as help shows it: `--policy NAME`, `-n, --limit COUNT`, `--json`.
  package struct Option: Sendable {
    enum Value: String, CaseIterable, Sendable {
      case string, integer, number
    }

    package let spelling: String
    /// Without the dashes in front.
    package let name: String
    /// The one letter behind `-`, if it has a short form.
    package let letter: String?
    /// What stands behind it; nil for a switch.
    package let placeholder: String?
    package let doc: String
    var type = Value.string
    package var choices: [String] = []
    var fallback = LuaValue.nil
    /// Whether it may be given more than once; the script then gets a list.
    var isList = false

    /// How the script calls it: `login_hint` for `--login-hint`.
    var key: String { name.replacing("-", with: "_") }
  }

  /// A word that is no option: `NAME`, `[NAME]` where it may be missing, `FILE...` or `[FILE...]` where there may be many.
  package struct Position: Sendable {
    package let spelling: String
    package let doc: String
    /// The words that may stand there; empty where any may.
    package var choices: [String] = []
    var isOptional: Bool { spelling.hasPrefix("[") }
    var isMany: Bool { spelling.hasSuffix("...") || spelling.hasSuffix("...]") }
  }

  /// What messages and help call the script.
  let command: String
  let summary: String
  /// Lines in place of the one that is made of the positions.
  package let usage: [String]
  let notes: String?
  package let options: [Option]
  package let positions: [Position]

  /// Nobody reads the help of more.
  private static let most = 1000

  static let keys: [Parameter] = [
    Parameter("summary", .string, optional: true, "What the script does, in a sentence; --help shows it."),
    Parameter(
      "options", .list(of: .record(.declaredOption)), optional: true,
      "Each { \"--name VALUE\", \"what it does\" }; \"-n, --name VALUE\" has a short form, \"--name\" is a switch."
    ),
    Parameter(
      "positions", .list(of: .record(.declaredPosition)), optional: true,
      "Each { \"NAME\", \"what it is\" }; \"[NAME]\" may be missing, \"FILE...\" are one or more."),
    Parameter(
      "usage", .words, optional: true,
      "What stands behind the script's name, in place of what the positions say; a list for several forms."),
    Parameter("notes", .string, optional: true, "What --help says at its end."),
  ]

  /// Reads the declaration. Throws for one that makes no sense, naming the entry.
  @HostActor
  init(_ arguments: Arguments, command: String) throws(LuaError) {
    self.command = command
    summary = arguments["summary"].string ?? ""
    notes = arguments["notes"].string
    usage = arguments["usage"].string.map { [$0] } ?? (arguments["usage"].table?.elements ?? []).compactMap(\.string)
    for name in ["options", "positions"] {
      guard let count = arguments[name].table?.count, count > Self.most else { continue }
      throw arguments.failure("option '\(name)': expected a list of at most \(Self.most), got \(count)")
    }
    var options: [Option] = []
    for (offset, entry) in (arguments["options"].table?.elements ?? []).enumerated() {
      options.append(try Option(entry, "option \(offset + 1)", arguments))
    }
    self.options = options
    var positions: [Position] = []
    for (offset, entry) in (arguments["positions"].table?.elements ?? []).enumerated() {
      let place = "position \(offset + 1)"
      guard let spelling = entry.table?[.integer(1)].string, let doc = entry.table?[.integer(2)].string else {
        throw arguments.failure("\(place): expected { \"NAME\", \"what it is\" }")
      }
      let choices = (entry.table?["choices"].table?.elements ?? []).compactMap(\.string)
      positions.append(Position(spelling: spelling, doc: doc, choices: choices))
    }
    self.positions = positions
  }
}

extension LuaRecord {
  /// An entry of `positions`.
  fileprivate static let declaredPosition = LuaRecord(
    "declared position", "A word behind a script: at 1 its spelling, at 2 what it is.",
    [Parameter("choices", .list(of: .string), optional: true, "The words there are.")], others: .any)

  /// An entry of `options`.
  fileprivate static let declaredOption = LuaRecord(
    "declared option", "An option of a script: at 1 its spelling, at 2 what it does.",
    [
      Parameter("default", .any, optional: true, "The value when it is not given."),
      Parameter("choices", .list(of: .string), optional: true, "The values there are."),
      Parameter(
        "type", .choice(ScriptOptions.Option.Value.allCases.map(\.rawValue)), optional: true,
        "What the value is; a string if not given."),
      Parameter(
        "many", .boolean, optional: true, "Whether it may be given more than once; its values are a list then."),
    ], others: .any)
}

extension ScriptOptions.Option {
  @HostActor
  fileprivate init(_ entry: LuaValue, _ place: String, _ arguments: Arguments) throws(LuaError) {
    guard let table = entry.table, let spelling = table[.integer(1)].string, let doc = table[.integer(2)].string,
      let parts = spelling.wholeMatch(of: #/(?:-([A-Za-z]), )?--([A-Za-z][A-Za-z0-9-]*)(?: (\S+))?/#)
    else {
      throw arguments.failure("\(place): expected { \"--name VALUE\", \"what it does\" }")
    }
    self.spelling = spelling
    self.doc = doc
    name = String(parts.2)
    letter = parts.1.map(String.init)
    placeholder = parts.3.map(String.init)
    if let name = table["type"].string {
      guard let type = Value(rawValue: name) else {
        let names = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw arguments.failure("\(place): type: expected one of \(names), got \"\(name)\"")
      }
      self.type = type
    }
    choices = (table["choices"].table?.elements ?? []).compactMap(\.string)
    fallback = table["default"]
    isList = table["many"].isTrue
  }
}
