import Accounts
import Core
import DatabaseAddress
import Glibc
package import HTTPClient
package import HostLoop
package import LocalTenant
package import Permissions
package import Settings

/// One run of sign-ins, requests and imports, independent of the language of its scripts.
@HostActor
package final class Automation {
  /// The running script, as messages and questions need to know it.
  @HostActor
  package protocol Caller: AnyObject, Sendable {
    /// The name of the call that the script waits for.
    var callName: String? { get }
    /// The line of the script that runs.
    var place: String? { get }
    /// True if the script is about to end. Questions then do not wait for an answer.
    var isStopping: Bool { get }
  }

  package let configuration: Configuration
  /// The events of this run.
  package let events: Events
  package let console: Console
  package let permissions: Permissions
  /// The local tenant of this run, if there is one.
  package let tenant: LocalTenant?
  package let leftovers = Leftovers()
  /// The client of all requests that go to no origins of their own.
  package private(set) lazy var http = client()
  package private(set) lazy var accounts = RunAccounts(self)
  package private(set) lazy var clients = OAuthClients(self)
  package private(set) lazy var agents = Agents(self)
  let caller: any Caller
  /// The headers of the script and the plugins: why they need a permission.
  package var headers: [ScriptHeader] = []
  private var loadedSettings: Settings?
  /// The journals of the imports of this run, by their files.
  package var ownJournals: Set<String> = []
  /// The number of rows that failed in this run's imports.
  package var failedRows = 0

  package init(_ configuration: Configuration, console: Console, tenant: LocalTenant?, caller: any Caller) {
    self.configuration = configuration
    self.console = console
    self.tenant = tenant
    self.caller = caller
    permissions = Permissions(configuration.grants)
    events = Events(partOf: configuration.events)
    console.events = events
    watchPermissions()
    events.watch(CookieNotice.self) { notice, _ in console.log(.warn, "\(notice.message); the server may not go on") }
  }

  /// A client that asks for permission before it connects to an origin that is not among `known`.
  func client(_ known: Locked<Set<Origin>>? = nil) -> HTTPClient {
    let configuration = HTTPClientConfiguration(caFile: configuration.caFile)
    return HTTPClient(configuration, events: events) { [permissions, caller] origin throws(HTTPError) in
      if known?.withLock({ $0.contains(origin) }) == true { return }
      do throws(PermissionDenied) { try permissions.check(origin, by: caller.callName ?? "b2c-run") } catch {
        throw HTTPError(.permissionDenied, error.message, hint: error.hint)
      }
    }
  }

  /// Makes the next call of `settings` read them again, because the local tenant has become another provider.
  package func forgetSettings() { loadedSettings = nil }

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
  private func watchPermissions() {
    permissions.settingsOrigins = { [unowned self] in (try? settings())?.origins ?? [] }
    permissions.protect(
      hostFiles + programFolders, open: programFolders,
      // The folder of --store may have other files in it.
      beginnings: storeFolders.flatMap(AccountStore.fileBeginnings))
    guard configuration.mayAsk else { return }
    permissions.ask = { [unowned self] access in
      prompt.ask(access, place: caller.place, reason: headers.lazy.compactMap { $0.reason(for: access) }.first)
    }
  }

  package var prompt: PermissionPrompt {
    PermissionPrompt(console) { [caller] in caller.isStopping || Task.isCancelled }
  }

  /// Files that scripts may not use: accounts and their keys, journals, and settings with their secrets.
  private var hostFiles: [String] {
    let folders = [UserFolder.config, .state].map { $0.path { getenv($0).map { String(path: $0) } } }
    let own = [configuration.importsFolder, configuration.settingsFile ?? Settings.fileAtHand]
    let others = [AccountStore.earlierFolder()] + folders + own
    // A file that is a link in its folder leads out of it.
    let settings = folders[0].map { ["\($0)/settings.plist"] } ?? []
    let credentials = ServiceCredentials.folder.map { [$0] } ?? []
    return others.compactMap { $0 } + settings + PostgresAddress.passwordFiles + configuration.secretFiles + tenantFiles
      + credentials
  }

  /// The folders of the code of this run and the next ones. Scripts may read them, and may not change them.
  private var programFolders: [String] { PluginSources.usual().allFolders + [configuration.scriptsFolder] }

  private var tenantFiles: [String] {
    configuration.tenantData.map { data in ["", "-wal", "-shm", "-journal"].map { data + $0 } } ?? []
  }

  /// The folders of account stores. The last one has plugins, too, and a program installed for the user alone, with the
  /// local tenant's key.
  var storeFolders: [String] {
    [configuration.storeFolder, try? AccountStore.standardFolder(), AccountStore.earlierFolder()].compactMap { $0 }
  }
}

/// The list of unfinished work of scripts, reported when the run ends.
@HostActor
package final class Leftovers {
  /// Others are counted.
  private static let mostShown = 5

  private var notes: [(text: String, count: Int)] = []

  package func add(_ text: String) {
    if let index = notes.firstIndex(where: { $0.text == text }) {
      notes[index].count += 1
    } else {
      notes.append((text, 1))
    }
  }

  /// Warns, once.
  package func report(_ console: Console) {
    for (text, count) in notes.prefix(Self.mostShown) {
      console.log(.warn, count == 1 ? text : "\(text) (\(count) times)")
    }
    let more = notes.dropFirst(Self.mostShown).reduce(0) { $0 + $1.count }
    if more > 0 { console.log(.warn, "\(more) more coroutines and timers were left like this") }
    notes = []
  }
}
