import Accounts
import Automation
import Core
import Files
import HTTPClient
package import HostLoop
import JSON
import Lua
package import LuaKit
import Settings
import TaskAPI

/// The task service of a call, and its account.
struct ServiceOptions: LuaOptions {
  var service = LuaValue.nil
  var account = LuaValue.nil

  static let fields = [serviceField, accountField]

  static let serviceField = Field(
    "service", \.service, .either([.string, .record(.serviceChoice)]),
    "The task service, or its name with other options; the setting service if not given, else the task API."
  ) { value, _ in value }

  private static let accountField = Field(
    "account", \.account, .object("account"), "The account of the tasks; the current account if not given."
  ) { value, _ in value }

  /// The option `account` of functions that read their file before they need the account.
  static let laterAccountField = Field(
    "account", \.account, .either([.object("account"), .functionReturning(.init(.object("account"), "The account."))]),
    "The account of the tasks; the current account if not given. A function is called after the file and the options "
      + "have been checked: account = b2c.tenant.sign_in."
  ) { value, _ in value }
}

/// The task services of a run by name.
@HostActor
package final class Services {
  /// A task service by its name.
  package enum Service: Sendable {
    /// A Lua file that returns the declaration.
    case file(String)
    case declared(PluginService)
  }

  /// The services that ship with the program, each a file of that name.
  nonisolated static let stock = ["caldav", "github", "microsoft", "todoist"]

  /// The services by name, without the task API.
  package lazy var catalog = Catalog<Service>(
    "task service", stock: Self.stock.map { ($0, .file("\(scriptsFolder)/services/\($0).lua")) })
  /// The services that the script has used, by their identities.
  private var open: [String: LuaTaskService] = [:]
  private let context: ScriptContext
  private let accounts: ScriptAccounts
  private let loader: ScriptLoader

  init(_ accounts: ScriptAccounts) {
    self.accounts = accounts
    context = accounts.context
    loader = ScriptLoader(context)
  }

  private var scriptsFolder: String { context.run.configuration.session.scriptsFolder }

  /// Forgets the open services, at the end of the run.
  func close() { open = [:] }

  /// The task service of a call: that of its option `service`, else of the setting, else the task API.
  func service(
    _ arguments: Arguments, timeout: Double = TaskAPIClient.usualTimeout, onProgress: ExchangeProgress.Listener? = nil
  ) async throws -> any TaskService {
    if let service = try await declared(arguments) { return service }
    return try context.session.taskClient(
      of: try await accounts.given(ServiceOptions(arguments).account, arguments).account, timeout: timeout,
      onProgress: onProgress)
  }

  /// The service of a plugin or a stock script; nil for the task API.
  func declared(_ arguments: Arguments) async throws -> LuaTaskService? {
    let options = try ServiceOptions(arguments)
    let choice = options.service
    let name = choice.table?["name"].string ?? choice.string ?? chosenName
    guard let name, name != Self.apiName else {
      guard choice.table == nil else { throw arguments.failure(option: "service", "expected a table with a name") }
      return nil
    }
    var settings = (try? context.session.settings())?.options(ofService: name) ?? [:]
    var given: [String: JSON] = [:]
    for pair in try choice.table?.pairs ?? [] {
      guard let key = pair.key.string, key != "name" else { continue }
      given[key] = try context.json.json(pair.value, at: "\(arguments.function.name): option 'service': \(key)")
    }
    settings.merge(given) { _, given in given }
    // An entry of the setting may be one of several accounts of a service.
    let kind = settings.removeValue(forKey: "service")?.string ?? name
    let account = try await serviceAccount(options, arguments)
    let service = try await service(kind, named: name, settings, account)
    if !given.isEmpty { service.place["options"] = .object(given) }
    if let account { service.place["account"] = .string(account.account.id) }
    return service
  }

  /// The service of that name with the options of the settings, for an account or none.
  func declared(
    named name: String, _ given: [String: JSON] = [:], account: LuaAccount?
  ) async throws -> LuaTaskService {
    var options = (try? context.session.settings())?.options(ofService: name) ?? [:]
    options.merge(given) { _, given in given }
    let kind = options.removeValue(forKey: "service")?.string ?? name
    return try await service(kind, named: name, options, account)
  }

  /// The name of the task API among the services.
  nonisolated static let apiName = "tasks"

  /// The name of the setting `service`.
  var chosenName: String? { ((try? context.session.settings()) ?? nil)?[SettingsKey.service.rawValue]?.string }

  /// The account of the option, or the current one. A service may need none, and no settings.
  private func serviceAccount(_ options: ServiceOptions, _ arguments: Arguments) async throws -> LuaAccount? {
    do { return try await accounts.given(options.account, arguments) } catch let error as any Failure
      where ["no_account", "settings_not_found"].contains(error.code)
    { return nil }
  }

  /// The account among others. That of the run's own tenant is another one in each run, and its user is the same.
  private func owner(of account: Account) -> String {
    guard let tenant = context.session.tenant, let own = Origin(tenant.url), Origin(account.issuer) == own else {
      return account.id
    }
    return account.claims["oid"]?.string ?? account.subject
  }

  private func service(
    _ kind: String, named name: String, _ options: [String: JSON], _ account: LuaAccount?
  ) async throws -> LuaTaskService {
    let declaration = try await declaration(named: kind)
    for key in options.keys.sorted() where !declaration.settings.contains(key) {
      throw LuaError(
        code: "invalid_argument", message: "the task service \(name) has no option '\(key)'",
        hint: nearestName(to: key, in: declaration.settings).map { "did you mean '\($0)'?" }
          ?? "its options are \(declaration.settings.joined(separator: ", "))")
    }
    let shown = JSON.object(options).encoded()
    let identity = "\(kind) \(shown)" + (account.map { " \(owner(of: $0.account))" } ?? "")
    if let service = open[identity] { return service }
    let given = context.state.makeTable()
    for (key, value) in options { given[key] = context.json.value(value) }
    given["account"] = account.map { .object($0) } ?? .nil
    let functions: LuaTable
    do {
      guard let table = try await declaration.open.call([.table(given)]).first?.table else {
        throw LuaError(code: "broken_service", message: "\(name): open returned no table of functions")
      }
      functions = table
    } catch let error as LuaError { throw LuaTaskService.failure(of: error, name) }
    let service = LuaTaskService(
      declaration, named: name, functions, list: options["list"]?.string, identity: identity, context.json
    ) { [console = context.session.console] in console.log(.info, $0) }
    open[identity] = service
    return service
  }

  /// The service of that name. Throws `unknown_service` with the known names.
  private func declaration(named name: String) async throws -> PluginService {
    switch catalog[name] {
    case .declared(let service)?: return service
    case .file(let path)?:
      let file = PluginFile(path)
      let value = try await loader.value(of: file)
      let service = try PluginService.read(value, named: name, place: "services/\(name).lua", context.state)
      catalog.define(name, .declared(service))
      return service
    case nil:
      throw LuaError(
        code: "unknown_service", message: "there is no task service named '\(name)'",
        hint: catalog.hint(for: name, advice: "the services are \(Self.apiName),"))
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
