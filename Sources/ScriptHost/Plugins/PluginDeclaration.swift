import Automation
import Files
import HostLoop
import ImportFormats
import Lua
import LuaKit
import LuaSignIn
import LuaTasks
import TaskAPI

/// The table that a plugin returned, checked: each entry has the declared type.
@HostActor
struct PluginDeclaration {
  let name: String?
  let version: String?
  private(set) var commands: [(name: String, value: PluginCommand)] = []
  private(set) var flows: [(name: String, value: LuaFlow)] = []
  private(set) var formats: [(name: String, value: PluginFormat)] = []
  private(set) var services: [(name: String, value: PluginService)] = []
  private(set) var agents: [(name: String, value: LuaFunction)] = []
  private(set) var hooks: [(event: HookEvent, function: LuaFunction)] = []

  /// Reads the value that the plugin in `file` returned. An error names the file, the key and the expected type.
  init(_ value: LuaValue, of file: PluginFile, reserved: Set<String>, _ state: LuaState) throws(LuaError) {
    guard let plugin = value.table else {
      throw LuaError(
        code: "invalid_plugin",
        message: "\(file.shown) returned \(value.isNil ? "nothing" : "a \(value.typeName)"), expected a plugin's table",
        hint: "end it with: return { name = \"\(file.name)\", … }")
    }
    func read(_ table: LuaTable, _ keys: [Parameter], _ place: String) throws(LuaError) -> Arguments {
      let declaration = HostFunction(place, "", [.options(keys)]) { _ in [] }
      return try Arguments(options: table, of: declaration, state, noun: "key")
    }
    func things(_ key: String, _ all: Arguments) throws(LuaError) -> [(String, LuaValue)] {
      var things: [(String, LuaValue)] = []
      for pair in try all[key].table?.pairs ?? [] {
        guard let name = pair.key.string, name.wholeMatch(of: #/[A-Za-z][A-Za-z0-9_-]*/#) != nil else {
          let got = pair.key.string.map { "'\($0)'" } ?? "a \(pair.key.typeName)"
          throw all.failure("\(key): expected names of letters, digits, - and _, got \(got)")
        }
        things.append((name, pair.value))
      }
      // Lua's tables have no order; lists and messages have the same one each time.
      return things.sorted { $0.0 < $1.0 }
    }
    func table(_ value: LuaValue, _ place: String, _ all: Arguments) throws(LuaError) -> LuaTable {
      guard let table = value.table else { throw all.failure("\(place): expected a table, got a \(value.typeName)") }
      return table
    }
    func function(_ value: LuaValue, _ place: String, _ all: Arguments) throws(LuaError) -> LuaFunction {
      guard let function = value.function else {
        throw all.failure("\(place): expected a function, got a \(value.typeName)")
      }
      return function
    }

    let all = try read(plugin, LuaRecord.plugin.fields, file.shown)
    name = all["name"].string
    version = all["version"].string
    for (name, value) in try things("commands", all) {
      let place = "commands.\(name)"
      guard !reserved.contains(name) else {
        throw all.failure("\(place): the program itself has a command '\(name)'", hint: "give it another name")
      }
      let declared = try read(try table(value, place, all), LuaRecord.pluginCommand.fields, "\(file.shown): \(place)")
      commands.append((name, try PluginCommand(name, declared, file)))
    }
    for (name, value) in try things("flows", all) {
      try LuaFlow.check(value, "\(file.shown): flows.\(name)", state)
      guard let flow = LuaFlow(value) else {
        throw all.failure("flows.\(name): expected a function, or a table with sign_in, got a \(value.typeName)")
      }
      flows.append((name, flow))
    }
    for (name, value) in try things("formats", all) {
      let place = "formats.\(name)"
      let declared = try read(try table(value, place, all), LuaRecord.pluginFormat.fields, "\(file.shown): \(place)")
      formats.append((name, try PluginFormat(name, declared, file)))
    }
    for (name, value) in try things("services", all) {
      let place = "services.\(name)"
      let declared = try read(try table(value, place, all), LuaRecord.pluginService.fields, "\(file.shown): \(place)")
      services.append((name, try PluginService(name, declared)))
    }
    for (name, value) in try things("agents", all) { agents.append((name, try function(value, "agents.\(name)", all))) }
    guard let hooks = all["hooks"].table else { return }
    let given = try read(hooks, LuaRecord.pluginHooks.fields, "\(file.shown): hooks")
    for event in HookEvent.allCases {
      if let function = given[event.rawValue].function { self.hooks.append((event, function)) }
    }
  }
}

extension LuaRecord {
  static let plugin = LuaRecord(
    "plugin", "The table that a plugin returns. All fields are optional.",
    .optional("name", .string, "The name in messages; the name of the file if not given."),
    .optional("version", .string, "The version, which b2c-run plugins prints."),
    .optional("commands", .map(of: .record(pluginCommand)), "Commands by name. b2c-run NAME runs a command."),
    .optional("flows", .map(of: .anyFlow), "Sign-in flows by name."),
    .optional(
      "formats", .map(of: .record(pluginFormat)), "Formats of files by name, for tasks.import and tasks.export."),
    .optional(
      "services", .map(of: .record(pluginService)),
      "Task services by name, for imports, exports and functions of tasks."),
    .optional(
      "agents",
      .map(
        of: .callback(
          [
            Parameter("url", .string, "The authorization URL."),
            Parameter("options", .record(agentOptions), "Options of the agent."),
          ], returns: [.init(.string, "The redirect URL with its parameters.")])),
      "Agents by name, for browser.open and accounts.sign_in."),
    .optional("hooks", .record(pluginHooks), "Functions that are called on events."))

  static let pluginCommand = LuaRecord(
    "plugin command", "A command of a plugin: its function, and the declaration of its command line for term.options.",
    ScriptDeclaration.keys + [
      Parameter(
        "run", .callback([Parameter("options", .table, "The parsed command line.")]),
        "Called with the result of term.options, or with b2c.args if positions, options and usage are not declared.")
    ])

  /// The second argument of a plugin's agent. The first argument is the URL.
  static let agentOptions = LuaRecord(
    "agent options", "The options of a plugin's agent, its second argument.",
    .optional("redirect_uri", .string, "The redirect URI; nil if no redirect is expected."),
    .optional("code", .string, "The code for the user to enter."),
    .optional("username", .string, "The user name, if known."),
    .optional("password", .object("secret"), "The user's password, if given."),
    Parameter("timeout", .number, "The time limit for the agent, in seconds."))

  static let pluginHooks = LuaRecord(
    "hook table", "The functions that a plugin provides for events.", HookEvent.allCases.map(\.parameter))

  static let hookedRequest = LuaRecord(
    "hooked request", "A request as hooks see it. A plugin may add fields; after_response gets the same table.",
    Parameter("method", .string, "The method in capitals."),
    Parameter("url", .string, "The URL without its secret parts."),
    Parameter("headers", .map(of: headerValue), "The header fields, by name in lower case."),
    Parameter("size", .integer, "The size of the body in bytes."), others: .any)

  static let hookedResponse = LuaRecord(
    "hooked response", "The result of a request, as hooks see it.",
    .optional("status", .integer, "The status; nil without a response."),
    .optional("headers", .map(of: headerValue), "The header fields, by name in lower case."),
    .optional("size", .integer, "The size of the body in bytes, if it was kept."),
    Parameter("seconds", .number, "The duration in seconds."),
    .optional("error", .record(.error), "The reason for a missing response."))

  static let endedImport = LuaRecord(
    "ended import",
    "The report of an import after its end. If the import did not start, the report has only these fields.",
    Parameter("source", .string, "The source of the import."),
    .optional("account", .string, "The account of the tasks."),
    Parameter("ending", .choice(["finished", "dry_run", "stopped"]), "The result of the import."),
    .optional("error", .record(.error), "The reason for the stop."), others: .any)

  private static let headerValue = LuaType.either([.string, .object("sealed secret")])
}
