package import Accounts
import Core
import DatabaseAddress
import Files
import Glibc
package import HostLoop
package import Permissions
import Settings

extension Session {
  /// The decisions of the command line that scripts and `serve` share.
  package struct Configuration: Sendable {
    package var settings = SettingsSource()
    /// `--store`: the folder of the account store, or the address of a database; nil for the usual folder.
    package var storePath: String?
    /// `--local`
    package var localTenant: LocalTenantUse?
    /// True if the accounts of the run are kept in memory only.
    package var forgetsAccounts = false
    /// `--account`: the name of the account to use.
    package var accountName: String?
    /// `--cacert`
    package var caFile: String?
    /// The folder of the journals of imports; nil for the usual one.
    package var importsFolder: String?
    /// The permissions granted beyond those of every run.
    package var grants = Grants()
    /// Get the events of the run; nil without watchers.
    package var events: Events?
    /// The folder of the stock scripts.
    package var scriptsFolder: String

    /// `--machine`: the name of this machine among several that share a database; nil for the host's name.
    package var machineName: String?
    /// The version of the program, for other machines.
    package var version = ""

    package init(scriptsFolder: String) { self.scriptsFolder = scriptsFolder }
  }

  /// The source of the settings.
  package struct SettingsSource: Sendable {
    /// `--settings`; nil looks in the usual places.
    package var file: String?
    /// `--set`, in order.
    package var overrides: [(key: String, value: String)] = []
    /// Files besides the settings that secrets were read from.
    package var secretFiles: [String] = []
  }

  /// The use of a local tenant.
  package struct LocalTenantUse: Sendable {
    /// The data file; nil for a tenant in memory.
    package var data: String?

    package init() {}
  }
}

/// The decisions of the command line for a script.
package struct ScriptConfiguration: Sendable {
  package var session: Session.Configuration
  /// `--memory`, in bytes; 0 for no limit.
  package var memoryLimit = 0
  /// True if the user at the terminal is asked for permissions that are not granted.
  package var mayAsk = false
  /// The sources of plugins; none unless given.
  package var plugins = PluginSources()
  /// Names of commands that no plugin can take.
  /// A function, because few runs ask, and each start would make the list.
  package var reservedCommands: @Sendable () -> Set<String> = { [] }
  /// Names of the program's own options, which stand in front of a script: `--local`.
  package var options: @Sendable () -> Set<String> = { [] }

  package init(scriptsFolder: String) { session = Session.Configuration(scriptsFolder: scriptsFolder) }
}

extension Session.Configuration {
  /// The place of the person's accounts and secrets.
  package func storeLocation() throws -> AccountStore.Location {
    guard let place = try storePlace() else {
      return .userFolder(try AccountStore.standardFolder(), earlier: AccountStore.earlierFolder())
    }
    return PostgresAddress.isOne(place) ? .database(try PostgresAddress(place)) : .folder(place)
  }

  /// The place in `--store`, else the address in the setting `store`; nil for the usual folder. The setting counts in the
  /// file of `--settings`, in `--set`, and in the user's own file. The file of the current folder may not have it. With
  /// `--local` it does not count: other machines have no use for what belongs to a tenant of this run.
  package func storePlace() throws -> String? {
    if let storePath { return storePath }
    if localTenant != nil { return nil }
    let name = SettingsKey.store.rawValue
    try demandNoStoreAtHand(name)
    let overrides = settings.overrides.filter { $0.key == name }.map { ($0.key, $0.value) }
    if let file = settings.file ?? Settings.ownFile.flatMap({ FileSystem.exists($0) ? $0 : nil }) {
      return try Settings.load(file: file, overrides: overrides).store
    }
    if overrides.isEmpty { return nil }
    return try Settings.load(values: [:], source: "--set", overrides: overrides).store
  }

  /// Checks that the file of the current folder names no store. Its other mistakes are for the commands that read it.
  private func demandNoStoreAtHand(_ name: String) throws {
    guard settings.file == nil, FileSystem.exists(Settings.fileAtHand) else { return }
    do { _ = try Settings.load(file: Settings.fileAtHand) } catch  where error.key == name { throw error } catch {}
  }

  /// The folder of `--store`; nil for a database and for the usual folder.
  package var storeFolder: String? { storePath.flatMap { PostgresAddress.isOne($0) ? nil : $0 } }

  /// A command of the program to paste, with the options of this run that say which settings and which accounts it is
  /// about. Nothing in it is secret: of what may be, only the name is there.
  package func commandLine(_ command: String) -> String {
    var words = ["b2c-run"]
    if let file = settings.file { words += ["--settings", ShellWord.quoted(file)] }
    for (name, value) in settings.overrides { words += Self.override(name, value) }
    if let data = localTenant?.data { words.append("--local=\(ShellWord.quoted(data))") }
    if let storePath { words += ["--store", ShellWord.quoted(PostgresAddress.withoutPassword(storePath))] }
    if let caFile { words += ["--cacert", ShellWord.quoted(caFile)] }
    return (words + [command]).joined(separator: " ")
  }

  /// None for what only scripts read.
  private static func override(_ name: String, _ value: String) -> [String] {
    guard let key = SettingsKey(name: name.split(separator: ".").first.map(String.init) ?? "") else { return [] }
    switch key {
    case .clientSecret, .customHeaders, .additionalParameters: return ["--set", "\(ShellWord.quoted(name))=…"]
    default: return ["--set", ShellWord.quoted("\(name)=\(value)")]
    }
  }
}
