import Core
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
}
