import Accounts
import Core
import Glibc
import HostLoop
import Permissions
import Settings

extension Automation {
  /// Protects the files of the host, and has a person asked for what is not granted.
  func watchPermissions() {
    permissions.settingsOrigins = { [unowned self] in (try? settings())?.origins ?? [] }
    permissions.protect(
      hostFiles + programFolders, open: programFolders,
      // The folder of --store may have other files in it.
      beginnings: storeFolders.flatMap(AccountStore.fileBeginnings))
    guard configuration.mayAsk else { return }
    permissions.ask = { [unowned self] access in
      prompt.ask(
        access, place: caller.place(), reason: headers.lazy.compactMap { $0.reason(for: access) }.first)
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
