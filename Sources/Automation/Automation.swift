package import Accounts
import Core
package import HTTPClient
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
    /// Whether the script is to end, so that nobody waits for an answer.
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
  /// The subscriptions to changes of accounts. They may be made before the store is opened.
  package let accountEvents = AccountEvents()
  let caller: Caller
  /// The headers of the script and the plugins: why they need a permission.
  package var headers: [ScriptHeader] = []
  private var loadedSettings: Settings?
  package var openAccounts: AccountManager?
  /// The accounts, by their IDs, that have signed in in this run.
  package var signedIn: Set<String> = []
  /// The accounts of other providers, by their IDs, that the person lets this run sign out at their providers.
  package var mayBeSignedOut: Set<String> = []
  /// The journals of the imports of this run, by their files.
  package var ownJournals: Set<String> = []
  /// The headless agent's cookies, by the name given as `session`.
  package var sessions: [String: CookieJar] = [:]
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
