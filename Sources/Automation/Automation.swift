import Accounts
import Core
import Glibc
import HTTPClient
package import HostLoop
package import LocalTenant
package import Permissions
package import Settings

/// One run of sign-ins, requests and imports, independent of the language of its scripts.
@HostActor
package final class Automation {
  /// The running script, as messages and questions need to know it.
  package struct Caller {
    /// The name of the call that the script waits for.
    let name: @HostActor () -> String?
    /// The line of the script that runs.
    let place: @HostActor () -> String?
    /// Returns true if the script is about to end. Questions then do not wait for an answer.
    let isStopping: @HostActor () -> Bool

    package init(
      name: @escaping @HostActor () -> String?, place: @escaping @HostActor () -> String?,
      isStopping: @escaping @HostActor () -> Bool
    ) {
      self.name = name
      self.place = place
      self.isStopping = isStopping
    }
  }

  package let configuration: Configuration
  /// The events of this run.
  package let events: Events
  package let console: Console
  package let permissions: Permissions
  package let network: ScriptNetwork
  /// The local tenant of this run, if there is one.
  package let tenant: LocalTenant?
  package let leftovers = Leftovers()
  package private(set) lazy var accounts = RunAccounts(self)
  package private(set) lazy var clients = OAuthClients(self)
  package private(set) lazy var agents = Agents(self)
  let caller: Caller
  /// The headers of the script and the plugins: why they need a permission.
  package var headers: [ScriptHeader] = []
  private var loadedSettings: Settings?
  /// The journals of the imports of this run, by their files.
  package var ownJournals: Set<String> = []
  /// The number of rows that failed in this run's imports.
  package var failedRows = 0

  package init(_ configuration: Configuration, console: Console, tenant: LocalTenant?, caller: Caller) {
    self.configuration = configuration
    self.console = console
    self.tenant = tenant
    self.caller = caller
    permissions = Permissions(configuration.grants)
    events = Events(partOf: configuration.events)
    network = ScriptNetwork(
      HTTPClientConfiguration(caFile: configuration.caFile), permissions, events, callName: caller.name)
    console.events = events
    watchPermissions()
  }

  /// The settings of this run, read once.
  package func settings() throws -> Settings {
    if let loadedSettings { return loadedSettings }
    let overrides = configuration.settingsOverrides.map { ($0.key, $0.value) }
    let settings =
      try tenant.map { try Settings.load(values: $0.settings, source: "the local tenant", overrides: overrides) }
      ?? Settings.load(file: configuration.settingsFile, overrides: overrides)
    loadedSettings = settings
    for slip in settings.misspelled { console.log(.warn, slip.message) }
    let others = settings.others
    if !others.isEmpty {
      console.log(.debug, "\(settings.source) has what only scripts read: \(others.joined(separator: ", "))")
    }
    events.emit(RunEvent.parties(settings.origins, settings))
    return settings
  }

  /// Protects the files of the host, and has a person asked for what is not granted.
  func watchPermissions() {
    permissions.settingsOrigins = { [unowned self] in (try? settings())?.origins ?? [] }
    permissions.protect(
      hostFiles + programFolders, open: programFolders,
      // The folder of --store may have other files in it.
      beginnings: storeFolders.flatMap(AccountStore.fileBeginnings))
    guard configuration.mayAsk else { return }
    permissions.ask = { [unowned self] access in
      prompt.ask(access, place: caller.place(), reason: headers.lazy.compactMap { $0.reason(for: access) }.first)
    }
  }

  /// Asks the person at the terminal.
  package var prompt: PermissionPrompt {
    PermissionPrompt(console) { [caller] in caller.isStopping() || Task.isCancelled }
  }

  /// Files that scripts may not use: accounts and their keys, journals, and settings with their secrets.
  private var hostFiles: [String] {
    let folders = [UserFolder.config, .state].map { $0.path { getenv($0).map { String(cString: $0) } } }
    let own = [configuration.importsFolder, configuration.settingsFile ?? Settings.fileAtHand]
    let others = [dataFolder] + folders + own
    // A file that is a link in its folder leads out of it.
    let settings = folders[0].map { ["\($0)/settings.plist"] } ?? []
    return others.compactMap { $0 } + settings + configuration.secretFiles + tenantFiles
  }

  /// The folders of the code of this run and the next ones. Scripts may read them, and may not change them.
  private var programFolders: [String] { PluginSources.usual().allFolders + [configuration.scriptsFolder] }

  /// The database of --local=DATA, with its log.
  private var tenantFiles: [String] {
    configuration.tenantData.map { data in ["", "-wal", "-shm", "-journal"].map { data + $0 } } ?? []
  }

  /// The folder of plugins and of a program installed for the user alone, with the local tenant's key. Earlier versions
  /// kept accounts there.
  private var dataFolder: String? { AccountStore.earlierFolder() }

  private var storeFolders: [String] {
    [configuration.storePath, try? AccountStore.standardFolder(), dataFolder].compactMap { $0 }
  }
}
