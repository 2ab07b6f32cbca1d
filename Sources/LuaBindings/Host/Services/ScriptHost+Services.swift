import Accounts
import Automation
import Core
import Files
import HTTPClient
import HostLoop
import JSON
import Lua
import Settings
import TaskAPI

extension TasksModule {
  static let serviceOption = Parameter(
    "service", .either([.string, .record(.serviceChoice)]), optional: true,
    "The task service, or its name with other options; the setting service if not given, else the task API."
  )
}

extension ScriptHost {
  /// The task service of a call: that of its option `service`, else of the setting, else the task API.
  func taskService(
    _ arguments: Arguments, timeout: Double = TaskAPIClient.usualTimeout, onProgress: ExchangeProgress.Listener? = nil
  ) async throws -> any TaskService {
    if let service = try await luaService(arguments) { return service }
    return try session.taskClient(
      of: try await givenAccount(arguments).account, timeout: timeout, onProgress: onProgress)
  }

  /// The service of a plugin or a stock script; nil for the task API.
  func luaService(_ arguments: Arguments) async throws -> LuaTaskService? {
    let choice = arguments["service"]
    let name = choice.table?["name"].string ?? choice.string ?? chosenServiceName
    guard let name, name != Self.apiName else {
      guard choice.table == nil else { throw arguments.failure(option: "service", "expected a table with a name") }
      return nil
    }
    var options = (try? settings())?.options(ofService: name) ?? [:]
    for pair in try choice.table?.pairs ?? [] {
      guard let key = pair.key.string, key != "name" else { continue }
      options[key] = try json.json(pair.value, at: "\(arguments.function.name): option 'service': \(key)")
    }
    // An entry of the setting may be one of several accounts of a service.
    let kind = options.removeValue(forKey: "service")?.string ?? name
    let account = try await serviceAccount(arguments)
    return try await service(kind, named: name, options, account)
  }

  /// The service of that name with the options of the settings, for an account or none.
  func luaService(named name: String, account: LuaAccount?) async throws -> LuaTaskService {
    var options = (try? settings())?.options(ofService: name) ?? [:]
    let kind = options.removeValue(forKey: "service")?.string ?? name
    return try await service(kind, named: name, options, account)
  }

  /// The name of the task API among the services.
  static let apiName = "tasks"

  /// The name of the setting `service`.
  var chosenServiceName: String? { ((try? settings()) ?? nil)?[SettingsKey.service.rawValue]?.string }

  /// The account of the option, or the current one. A service may need none, and no settings.
  private func serviceAccount(_ arguments: Arguments) async throws -> LuaAccount? {
    do { return try await givenAccount(arguments) } catch let error as any Failure
      where ["no_account", "settings_not_found"].contains(error.code)
    { return nil }
  }

  private func service(
    _ kind: String, named name: String, _ options: [String: JSON], _ account: LuaAccount?
  ) async throws -> LuaTaskService {
    let declaration = try await registry.service(named: kind, self)
    for key in options.keys.sorted() where !declaration.settings.contains(key) {
      throw LuaError(
        code: "invalid_argument", message: "the task service \(name) has no option '\(key)'",
        hint: nearestName(to: key, in: declaration.settings).map { "did you mean '\($0)'?" }
          ?? "its options are \(declaration.settings.joined(separator: ", "))")
    }
    let shown = JSON.object(options).encoded()
    let identity = "\(kind) \(shown)" + (account.map { " \($0.account.id)" } ?? "")
    if let open = registry.openServices[identity] { return open }
    let given = state.makeTable()
    for (key, value) in options { given[key] = json.value(value) }
    given["account"] = account.map { .object($0) } ?? .nil
    let functions: LuaTable
    do {
      guard let table = try await declaration.open.call([.table(given)]).first?.table else {
        throw LuaError(code: "broken_service", message: "\(name): open returned no table of functions")
      }
      functions = table
    } catch let error as LuaError { throw LuaTaskService.failure(of: error, name) }
    let service = LuaTaskService(
      declaration, named: name, functions, list: options["list"]?.string, identity: identity, json
    ) { [console] in console.log(.info, $0) }
    registry.openServices[identity] = service
    return service
  }
}

extension Registry {
  enum Service: Sendable {
    /// A Lua file that returns the declaration.
    case file(String)
    case declared(PluginService)
  }

  nonisolated static let stockServices = ["caldav", "github", "microsoft", "todoist"]

  /// The service of that name. Throws `unknown_service` with the known names.
  func service(named name: String, _ host: ScriptHost) async throws -> PluginService {
    switch services[name] {
    case .declared(let service)?: return service
    case .file(let path)?:
      let file = PluginFile(path)
      let loader = host.pluginLoader
      let globals = try await loader.globals(of: file)
      let chunk = try loader.load(try loader.source(of: file), file, globals)
      let value = try await chunk.call([.path(file.name), .path(file.path)]).first ?? .nil
      let service = try PluginService.read(value, named: name, place: "services/\(name).lua", host.state)
      services.define(name, .declared(service))
      return service
    case nil:
      throw LuaError(
        code: "unknown_service", message: "there is no task service named '\(name)'",
        hint: services.hint(for: name, advice: "the services are \(ScriptHost.apiName),"))
    }
  }
}

extension PluginService {
  @HostActor static func read(
    _ value: LuaValue, named name: String, place: String, _ state: LuaState
  ) throws(LuaError) -> PluginService {
    guard let table = value.table else {
      throw LuaError(code: "invalid_plugin", message: "\(place): expected a table, got a \(value.typeName)")
    }
    let declaration = HostFunction(place, "", [.options(LuaRecord.pluginService.fields)]) { _ in [] }
    return try PluginService(name, try Arguments(options: table, of: declaration, state, noun: "key"))
  }
}

extension LuaRecord {
  static let serviceChoice = LuaRecord(
    "choice of a task service", "A task service with options over those of the setting services.",
    Parameter("name", .string, "The name of the service, or of its entry in the setting services."), others: .any)
}
