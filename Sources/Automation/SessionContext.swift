import Accounts
import Core
import DatabaseAddress
import Glibc
import HTTPClient
import HostLoop
import JSON
import Permissions
import Settings

/// The parts of a session that its accounts and providers work with. Work that outlives a run keeps them.
@HostActor
final class SessionContext {
  let configuration: Session.Configuration
  /// The events of this run.
  let events: Events
  let console: Console
  /// The permissions that the command line grants. Others are denied, unless a `ScriptRun` asks the person.
  let permissions: Permissions
  /// The local tenant of this run, if there is one.
  let tenant: (any RunTenant)?
  /// The client of all requests but those of providers.
  private(set) lazy var http = client()
  /// The name of the call of a script that the session works for; nil without a script.
  var callName: @HostActor () -> String? = { nil }
  private var loadedSettings: Settings?

  init(_ configuration: Session.Configuration, console: Console, tenant: (any RunTenant)?) {
    self.configuration = configuration
    self.console = console
    self.tenant = tenant
    permissions = Permissions(configuration.grants)
    events = Events(partOf: configuration.events)
    console.events = events
    protectFiles()
    events.watch(CookieNotice.self) { notice, _ in
      console.log(.warn, "\(notice.message); the server may refuse later requests")
    }
  }

  /// A client that asks for permission before it connects to an origin that is not among `known`.
  func client(_ known: Locked<Set<Origin>>? = nil) -> HTTPClient {
    let configuration = HTTPClientConfiguration(caFile: configuration.caFile)
    return HTTPClient(configuration, events: events) { [permissions, callName] origin throws(HTTPError) in
      if known?.withLock({ $0.contains(origin) }) == true { return }
      do throws(PermissionDenied) { try permissions.check(origin, by: callName() ?? "b2c-run") } catch {
        throw HTTPError(.permissionDenied, error.message, hint: error.hint)
      }
    }
  }

  /// Makes the next call of `settings` read them again.
  func forgetSettings() { loadedSettings = nil }

  /// The settings of this run, read once.
  func settings() throws -> Settings {
    if let loadedSettings { return loadedSettings }
    let overrides = configuration.settings.overrides.map { ($0.key, $0.value) }
    let settings =
      try tenant.map { try Settings.load(values: $0.settings, source: "the local tenant", overrides: overrides) }
      ?? loadSettings(overrides)
    loadedSettings = settings
    for slip in settings.misspelled { console.log(.warn, slip.message) }
    let others = settings.others
    if !others.isEmpty {
      console.log(.debug, "\(settings.source) has what only scripts read: \(others.joined(separator: ", "))")
    }
    events.emit(RunEvent.parties(settings.origins, settings))
    return settings
  }

  private func loadSettings(_ overrides: [(String, String)]) throws -> Settings {
    let load = { [configuration] in try Settings.load(file: configuration.settings.file, overrides: overrides) }
    guard let tape = CurrentTape.value else { return try load() }
    let kept = try tape.input(.settings, "") {
      do { return Array(try load().kept.encoded().utf8) } catch let error as SettingsError
        where error.kind == .notFound && configuration.settings.file == nil
      { return Array("null".utf8) }
    }
    return try Settings(kept: JSON(parsing: kept))
  }

  /// The settings of this run; nil if there are none, and nobody named a file.
  func settingsIfAny() throws -> Settings? {
    do { return try settings() } catch let error as SettingsError
      where error.kind == .notFound && configuration.settings.file == nil
    {
      return nil
    }
  }

  /// Closes the files of the host to scripts.
  private func protectFiles() {
    permissions.settingsOrigins = { [weak self] in (try? self?.settings())?.origins ?? [] }
    permissions.protect(
      hostFiles + programFolders, open: programFolders,
      // The folder of --store may have other files in it.
      beginnings: storeFolders.flatMap(AccountStore.fileBeginnings))
  }

  /// Files that scripts may not use: accounts and their keys, journals, and settings with their secrets.
  private var hostFiles: [String] {
    let folders = [UserFolder.config, .state].map { $0.path { getenv($0).map { String(path: $0) } } }
    let own = [configuration.importsFolder, configuration.settings.file ?? Settings.fileAtHand]
    let others = [AccountStore.earlierFolder()] + folders + own
    // A file that is a link in its folder leads out of it.
    let settings = folders[0].map { ["\($0)/settings.plist"] } ?? []
    let credentials = ServiceCredentials.folder.map { [$0] } ?? []
    return others.compactMap { $0 } + settings + PostgresAddress.passwordFiles + configuration.settings.secretFiles
      + tenantFiles
      + credentials
  }

  /// The folders of the code of this run and the next ones. Scripts may read them, and may not change them.
  private var programFolders: [String] { PluginSources.usual().allFolders + [configuration.scriptsFolder] }

  private var tenantFiles: [String] {
    configuration.localTenant?.data.map { data in ["", "-wal", "-shm", "-journal"].map { data + $0 } } ?? []
  }

  /// The folders of account stores. The last one has plugins, too, and a program installed for the user alone, with the
  /// local tenant's key.
  var storeFolders: [String] {
    [configuration.storeFolder, try? AccountStore.standardFolder(), AccountStore.earlierFolder()].compactMap { $0 }
  }
}
