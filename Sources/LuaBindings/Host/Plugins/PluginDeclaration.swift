import Automation
import HostLoop
import Lua

/// The table that a plugin returned, checked: each entry has the declared type.
@HostActor
struct PluginDeclaration {
  let name: String?
  let version: String?
  private(set) var commands: [(name: String, value: PluginCommand)] = []
  private(set) var flows: [(name: String, value: LuaFunction)] = []
  private(set) var formats: [(name: String, value: PluginFormat)] = []
  private(set) var agents: [(name: String, value: LuaFunction)] = []
  private(set) var hooks: [(event: HookEvent, function: LuaFunction)] = []

  /// Reads the value that the plugin in `file` returned.
  /// - Throws: an error that names the file, the key and the expected type.
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
      for pair in all[key].table?.pairs ?? [] {
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
        throw all.failure("\(place): the program has a command '\(name)' of its own", hint: "give it another name")
      }
      let declared = try read(try table(value, place, all), LuaRecord.pluginCommand.fields, "\(file.shown): \(place)")
      commands.append((name, try PluginCommand(name, declared, file)))
    }
    for (name, value) in try things("flows", all) { flows.append((name, try function(value, "flows.\(name)", all))) }
    for (name, value) in try things("formats", all) {
      let place = "formats.\(name)"
      let declared = try read(try table(value, place, all), LuaRecord.pluginFormat.fields, "\(file.shown): \(place)")
      formats.append((name, try PluginFormat(name, declared, file)))
    }
    for (name, value) in try things("agents", all) { agents.append((name, try function(value, "agents.\(name)", all))) }
    guard let hooks = all["hooks"].table else { return }
    let given = try read(hooks, LuaRecord.pluginHooks.fields, "\(file.shown): hooks")
    for event in HookEvent.allCases {
      if let function = given[event.rawValue].function { self.hooks.append((event, function)) }
    }
  }
}
