import Accounts
package import Automation
package import CommandLine
import Core
import Glibc
package import HostLoop
package import Imports
package import JSON
package import LocalTenant
package import Lua
package import LuaJobs
import LuaKit
import LuaNet
package import LuaSignIn
import LuaTasks
package import Permissions
import Settings
import Terminal

/// One run of one script: its Lua state with the `b2c` modules.
@HostActor
package final class ScriptHost {
  let context: ScriptContext
  /// The local tenant of this run, for the module `tenant`.
  package let tenant: LocalTenant?
  let accounts: ScriptAccounts
  /// The accounts, flows and agents of the run.
  package let signIns: ScriptSignIns
  private(set) lazy var tasks = ScriptTasks(accounts) { [unowned self] in try jobSession.attach($0) }
  /// The commands, flows, formats, task services and agents by name.
  package private(set) lazy var registry = Registry(
    scriptsFolder: configuration.session.scriptsFolder, signIns, tasks)
  private let hooks = PluginHooks()
  let commandLine: ScriptCommandLine
  private(set) lazy var term = TermModule(
    session.console, state, session.permissions,
    options: commandLine.options { [weak self] in self?.modules.flatMap(\.functions) ?? [] })
  private var api: LuaTable?
  /// Who watches the script.
  package var watching = ScriptWatching()
  /// The run of a job that the script is. A script that a person started has one, too.
  package lazy var jobSession = JobSession(nil, script: "")

  /// A host with the API in place, ready to run a script.
  package init(_ configuration: Configuration, console: Console, tenant: LocalTenant? = nil) throws {
    let state = try LuaState(memoryLimit: configuration.memoryLimit)
    self.tenant = tenant
    let session = Session(configuration.session, console: console, tenant: tenant)
    let run = ScriptRun(session, configuration, caller: state)
    context = ScriptContext(run, state)
    accounts = ScriptAccounts(context)
    signIns = ScriptSignIns(accounts)
    commandLine = ScriptCommandLine(run, state)
    accounts.requests = HTTPModule(accounts)
    session.events.place = { [state] in EventPlace(HostCall.current, running: state.place) }
    state.owner = LuaState.Owner(self)
    state.ask(session.permissions)
    state.cleanMessage = { Redaction.forScripts($0) }
    state.onReport = { [console] text in console.write("b2c-run: \(text.displayableLines)") }
    state.onCloseError = { [weak self] error in
      guard let self else { return }
      // A thousand children canceled at once may all fail alike; the first few errors are enough.
      watching.closeErrors += 1
      if watching.closeErrors <= 5 { console.log(.error, "while cleaning up: \(error)") }
    }
  }

  /// Ends the host. Not called while a script runs.
  package func close() {
    signIns.close()
    tasks.close()
    reportLeftovers()
    if watching.closeErrors > 5 { console.log(.error, "while cleaning up: \(watching.closeErrors - 5) more errors") }
    // The script has no places any more.
    console.events = nil
    session.events.place = nil
    state.close()
  }

  var pluginLoader: PluginLoader {
    PluginLoader(context, registry, install: { [unowned self] in hooks.add($0, self) })
  }

  /// Makes `b2c` and loads the plugins, once. The first run of a script does it, too.
  @discardableResult package func makeReady() async throws -> LuaTable {
    if let api { return api }
    let made = try await install()
    api = made
    try await pluginLoader.load()
    return made
  }

  /// Runs a script to its end. `require` searches the folder of `path`, and messages have its name.
  /// - Parameters:
  ///   - hasAPI: true if `b2c` and its modules are global, as with `-e`.
  ///   - prepare: called first, with the loaded script and the `b2c` table.
  /// - Returns: the first result of the script.
  @discardableResult package func run(
    _ source: [UInt8], path: String, arguments: [String] = [], hasAPI: Bool = false,
    prepare: @HostActor (LuaFunction, LuaTable) async throws -> Void = { _, _ in }
  ) async throws -> LuaValue {
    let name = path.lastName
    let isStock = path == "\(configuration.session.scriptsFolder)/\(name)" && name.hasSuffix(".lua")
    scriptRun.headers.insert(ScriptHeader(source), at: 0)
    if isStock {
      permissions.allowStockCommand(arguments)
      guardPrint(isJSON: arguments.contains("--json"))
    }
    if !isStock, !hasAPI { commandLine.warnOfMisplacedOptions(arguments, behind: path, source) }
    let script = try state.load(source, name: name)
    begin(isStock ? String(name.dropLast(4)) : path, path: path, folder: GivenFiles.folder(ofScript: path), arguments)
    defer { term.closeScreen() }
    let api = try await makeReady()
    if hasAPI { makeGlobal(api) }
    try await prepare(script, api)
    let result: LuaValue
    do {
      result = try await script.call(arguments.map { .path($0) }).first ?? .nil
    } catch var error as LuaError {
      if error.code == ScriptCommandLine.helpCode { return .nil }
      // The lines of a stock script help nobody, unless the script itself is wrong.
      if isStock, error.code != "script_error" { error.location = nil }
      throw commandLine.declared?.named(error) ?? error
    }
    noteLeftCoroutines()
    return result
  }

  /// Makes the stock commands print through the door to the terminal: their texts are from servers and files.
  private func guardPrint(isJSON: Bool) {
    guard isatty(STDOUT_FILENO) == 1 else { return }
    let value = Parameter("value", .any, optional: true)
    let print = HostFunction("print", "", [value], isVariadic: true) { arguments in
      let text = arguments.values.map { arguments.state.rawText(of: $0) }.joined(separator: "\t") + "\n"
      if isJSON { StandardOutput.write(json: text) } else { StandardOutput.write(text) }
      return []
    }
    state.globals["print"] = .function(state.function(print))
  }

  /// Signs in by a flow, for an experiment with a flow alone: at the local tenant as its first user.
  package func signIn(by flow: LuaValue) async throws {
    let chunk = try state.load(
      Array(
        """
        local flow, is_local = ...
        local options = { flow = flow }
        if is_local then options.agent, options.username, options.password = "headless", "alice", "Wonderland-1" end
        require("b2c").accounts.sign_in(options)
        """.utf8), name: "experiment")
    _ = try await makeReady()
    _ = try await chunk.call([flow, .boolean(tenant != nil)])
  }

  private func noteLeftCoroutines() {
    for place in state.unfinishedCoroutines() {
      scriptRun.leftovers.add("the coroutine at \(place) was not finished, and a variable still refers to it")
    }
  }

  /// Makes the state ready for a session: `b2c` and its modules are global, and `require` searches the current folder.
  package func beginSession() async throws {
    begin("the session", path: "session", folder: ".", [])
    makeGlobal(try await makeReady())
  }

  /// Warns of the work that was left unfinished since the last report.
  package func reportLeftovers() { scriptRun.leftovers.report(console) }

  /// Restores the terminal if a call has left a screen open.
  package func closeScreen() { term.closeScreen() }

  /// Makes `b2c` global, and its modules, unless there is another global of the name.
  func makeGlobal(_ api: LuaTable) {
    let fallback = state.makeTable()
    fallback["__index"] = .table(api)
    state.globals["b2c"] = .table(api)
    state.globals.metatable = fallback
  }

  /// Runs a plugin's command to its end.
  package func run(_ command: PluginCommand, arguments: [String] = []) async throws {
    // The current folder, as with -e: the plugin finds its modules by itself.
    begin(command.name, path: command.file.path, folder: ".", arguments)
    try await makeReady()
    if !command.isDeclared, arguments == ["--help"] { return StandardOutput.write(command.help) }
    var given = LuaValue.table(commandLine.args)
    if command.isDeclared {
      guard let parsed = try commandLine.values(of: arguments, by: command.options) else { return }
      given = parsed
    }
    do { _ = try await command.function.call([given]) } catch let error as LuaError {
      if error.code != ScriptCommandLine.helpCode { throw error }
    }
    noteLeftCoroutines()
  }

  /// The declaration that a stock script makes with `term.options`, at which the script ends; nil when it makes none.
  package func declaration(of script: StockScript, _ source: [UInt8]) async throws -> CommandDeclaration? {
    try await commandLine.declaration { try await run(source, path: script.path, arguments: ["--help"]) }?.declaration
  }

  /// The command line that a script declares with `term.options`, for programs; nil when it declares none.
  package func declaredOptions(path: String, _ source: [UInt8]) async throws -> JSON? {
    try await commandLine.declaration { try await run(source, path: path) }?.json
  }

  /// - Parameter folder: the folder that `require` searches, and that the script may read.
  private func begin(_ name: String, path: String, folder: String, _ arguments: [String]) {
    commandLine.begin(name, path: path, arguments)
    // As in the standalone `lua`.
    let words = state.makeTable(.list(arguments.map { .path($0) }))
    words[.integer(0)] = .path(path)
    state.globals["arg"] = .table(words)
    session.permissions.allowReading(below: folder)
    state.globals["package"].table?["path"] = .path("\(folder)/?.lua;\(folder)/?/init.lua")
  }

  package typealias Configuration = ScriptConfiguration

  /// The run of the script.
  package var scriptRun: ScriptRun { context.run }
  /// The Lua state of the script.
  package var state: LuaState { context.state }
  /// The imports of the run.
  package var imports: RunImports { tasks.imports }
  package var session: Session { scriptRun.session }
  package var configuration: Configuration { scriptRun.configuration }
  package var console: Console { session.console }
  package var permissions: Permissions { session.permissions }
  /// The name of the script in messages.
  package var scriptName: String { commandLine.name }
  package var failedRows: Int { imports.failedRows }
}

extension LuaState: ScriptRun.Caller {
  package var callName: String? { HostCall.current?.name }
}
