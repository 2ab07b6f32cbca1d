package import Automation
import Core
import HTTPClient
package import HostLoop
package import LocalTenant
package import Lua
import Permissions
import Settings

/// One run of one script: its Lua state with the `b2c` modules, and what they stand on.
@HostActor
package final class ScriptHost {
  package let automation: Automation
  package let state: LuaState
  let json: JSONMarshal
  /// Where commands, flows, formats and agents come from.
  package let registry: Registry
  /// The hooks of the plugins, in the order of the plugins.
  var hooks: [HookEvent: [Hook]] = [:]
  let clients: OAuthClients
  var luaAccounts: [String: LuaAccount] = [:]
  var mainContext: FlowContext?
  private(set) lazy var term = TermModule(automation.console, state, options: termOptions)
  private(set) lazy var httpModule = HTTPModule(automation: automation, json: json, host: self)
  /// What messages call the script: its path, or the name of a stock one.
  private(set) var scriptName = ""
  private(set) var scriptArguments: [String] = []
  /// `b2c`, once it is there.
  private var api: LuaTable?
  private(set) lazy var args = state.makeTable()
  /// Told of what the script declares of its command line, instead of going on with it.
  var onOptionsDeclared: ((CommandDeclaration) -> Void)?
  /// The command line that the script has declared.
  var declaredOptions: CommandDeclaration?
  private var closeErrors = 0
  private(set) lazy var luaSettings = LuaSettings(json) { [unowned self] in try settings() }

  /// A host with the API in place, ready to run a script.
  package init(
    _ configuration: Configuration, console: Console, tenant: LocalTenant? = nil
  ) throws {
    state = try LuaState(memoryLimit: configuration.memoryLimit)
    json = JSONMarshal(state)
    automation = Automation(
      configuration, console: console, tenant: tenant,
      caller: Automation.Caller(
        name: { HostCall.current?.name }, place: { [state] in state.place },
        isStopping: { [state] in state.isStopping }))
    registry = Registry(scriptsFolder: configuration.scriptsFolder, state)
    clients = OAuthClients(automation.network)
    automation.events.place = { [state] in EventPlace(HostCall.current, running: state.place) }
    clients.runSettings = { [unowned self] in try? settings() }
    // tenant.fault answers for it.
    if let own = tenant.flatMap({ Origin($0.url) }) { clients.isOfScripts = { $0 == own } }
    watchPermissions()
    state.cleanMessage = { Redaction.forScripts($0) }
    state.onReport = { [unowned self] text in self.console.write("b2c-run: \(text.displayableLines)") }
    state.onCloseError = { [unowned self] error in
      // A thousand children canceled at once may all fail alike; the first few say what there is to say.
      closeErrors += 1
      if closeErrors <= 5 { console.log(.error, "while cleaning up: \(error)") }
    }
  }

  /// Ends the host. Not called while a script runs.
  package func close() {
    luaAccounts = [:]
    reportLeftovers()
    if closeErrors > 5 { console.log(.error, "while cleaning up: \(closeErrors - 5) more errors") }
    // There is no place in a script any more.
    console.events = nil
    automation.events.place = nil
    state.close()
  }

  /// Makes `b2c` and the plugins' parts ready, once. Before the first script runs it is done anyway.
  @discardableResult
  package func makeReady() async throws -> LuaTable {
    if let api { return api }
    let made = try await install()
    api = made
    try await PluginLoader(
      automation: automation, state: state, registry: registry, install: { [unowned self] in install($0) }
    ).load()
    return made
  }

  /// Runs a script to its end.
  ///
  /// - Parameters:
  ///   - path: its path; `require` looks in its folder, and messages call it by its name.
  ///   - hasAPI: whether `b2c` and its modules are there without `require`, as with `-e`.
  package func run(
    _ source: [UInt8], path: String, arguments: [String] = [], hasAPI: Bool = false
  ) async throws {
    try await run(source, path: path, arguments: arguments, hasAPI: hasAPI) { [self] _, api in
      if hasAPI { makeGlobal(api) }
    }
  }

  /// Runs a script to its end, with `prepare` called ahead of it, with the loaded script and the `b2c` table.
  func run(
    _ source: [UInt8], path: String, arguments: [String] = [], hasAPI: Bool = false,
    prepare: @HostActor (LuaFunction, LuaTable) async throws -> Void
  ) async throws {
    let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    let isStock = path == "\(configuration.scriptsFolder)/\(name)" && name.hasSuffix(".lua")
    automation.headers.insert(ScriptHeader(source), at: 0)
    if isStock { permissions.allowStockCommand(arguments) }
    if !isStock, !hasAPI { warnOfMisplacedOptions(arguments, behind: path, source) }
    let script = try state.load(source, name: name)
    begin(isStock ? String(name.dropLast(4)) : path, path: path, folder: path.parentFolder, arguments)
    defer { term.closeScreen() }
    try await prepare(script, try await makeReady())
    do { _ = try await script.call(arguments.map { .string($0) }) } catch var error as LuaError {
      if error.code == Self.helpCode { return }
      // Whoever runs a stock script has no use for its lines, unless it is the script that is wrong.
      if isStock, error.code != "script_error" { error.location = nil }
      throw declaredOptions?.named(error) ?? error
    }
    noteLeftCoroutines()
  }

  /// What a script that has ended well has begun and not finished.
  private func noteLeftCoroutines() {
    for place in state.unfinishedCoroutines() {
      leftovers.add("the coroutine that stands at \(place) was not finished, and is still referred to")
    }
  }

  /// Where the local tenant of this run is; nil when there is none.
  package var tenantURL: String? { tenant?.url }

  /// Makes the state ready for a session: with the API, `b2c` and its modules as globals, and modules in the current folder.
  package func beginSession() async throws {
    begin("the session", path: "session", folder: ".", [])
    makeGlobal(try await makeReady())
  }

  /// Warns of what was left unfinished since this was last done.
  package func reportLeftovers() { leftovers.report(console) }

  /// Puts the terminal back where a call has left a screen open.
  package func closeScreen() { term.closeScreen() }

  /// `b2c` is there from now on, and `tasks` where there is no other global of that name.
  func makeGlobal(_ api: LuaTable) {
    let fallback = state.makeTable()
    fallback["__index"] = .table(api)
    state.globals["b2c"] = .table(api)
    state.globals.metatable = fallback
  }

  /// Runs a plugin's command to its end.
  package func run(_ command: PluginCommand, arguments: [String] = []) async throws {
    // As with -e: the plugin finds its modules by itself.
    begin(command.name, path: command.file.path, folder: ".", arguments)
    try await makeReady()
    if !command.isDeclared, arguments == ["--help"] { return StandardOutput.write(command.help) }
    var given = LuaValue.table(args)
    if command.isDeclared {
      guard let parsed = try values(of: arguments, by: command.options) else { return }
      given = parsed
    }
    do { _ = try await command.function.call([given]) } catch let error as LuaError {
      if error.code != Self.helpCode { throw error }
    }
    noteLeftCoroutines()
  }

  /// - Parameters:
  ///   - name: what messages call the script.
  ///   - path: what it finds in `args[0]`.
  ///   - folder: where `require` looks, and what it may read.
  private func begin(_ name: String, path: String, folder: String, _ arguments: [String]) {
    scriptName = name
    scriptArguments = arguments
    declaredOptions = nil
    permissions.scriptArguments = arguments
    fillArgs(arguments, script: path)
    permissions.allowReading(below: folder)
    state.globals["package"].table?["path"] = .string("\(folder)/?.lua;\(folder)/?/init.lua")
  }
}
