import Accounts
import Diagnostics
package import Files
import Glibc
import HTTPClient
import HostLoop
package import Lua
package import Permissions
import Settings
import TaskImport

extension ScriptHost {
  /// Has the libraries of Lua, and all connections, ask for permission.
  func watchPermissions() {
    permissions.settingsOrigins = { [unowned self] in (try? settings())?.origins ?? [] }
    permissions.protect(
      // The next run takes its plugins from there, whatever this one does.
      hostFiles + pluginFolders, open: pluginFolders,
      // The folder of --store may be one that has other things in it.
      beginnings: [configuration.storePath, dataFolder].compactMap { $0 }.flatMap(AccountStore.fileBeginnings))
    if configuration.mayAsk {
      permissions.ask = { [unowned self] access in
        PermissionPrompt(console) { [state] in state.isStopping || Task.isCancelled }
          .ask(access, place: state.place, reason: headers.lazy.compactMap { $0.reason(for: access) }.first)
      }
    }
    state.onLibraryAccess = { [permissions] access in
      switch access.use {
      case .file(let reads, let writes, let isEntry):
        var use: Permissions.FileUse = reads ? .read : []
        if writes { use.insert(.write) }
        if isEntry { use.insert(.entry) }
        let file = try permissions.check(access.thing, use, by: access.call)
        if file.path.isNowhere, !file.isUnrestricted { return .path([]) }
        return file.isUnrestricted ? .asGiven : .path(file.path.bytes)
      case .variable:
        try permissions.check(variable: String(decoding: access.thing, as: UTF8.self), by: access.call)
      case .command:
        try permissions.check(command: String(decoding: access.thing, as: UTF8.self), by: access.call)
      }
      return .asGiven
    }
  }

  /// What scripts have no business with: accounts and their keys, journals, and settings with their secrets.
  private var hostFiles: [String] {
    let folders = [UserFolder.config, .state].map { $0.path { getenv($0).map { String(cString: $0) } } }
    let own = [configuration.importsFolder, configuration.settingsFile ?? Settings.fileAtHand]
    let others = [dataFolder] + folders + own
    // A file that is a link in its folder leads out of it.
    let settings = folders[0].map { ["\($0)/settings.plist"] } ?? []
    return others.compactMap { $0 } + settings + configuration.secretFiles + tenantFiles
  }

  private var pluginFolders: [String] { PluginSources.usual().allFolders }

  /// The database of --local=DATA, with its log.
  private var tenantFiles: [String] {
    configuration.tenantData.map { data in ["", "-wal", "-shm", "-journal"].map { data + $0 } } ?? []
  }

  private var dataFolder: String? { try? AccountStore.standardFolder() }
}

extension Permissions {
  /// Opens a file that a script names, once it may be used.
  /// - Throws: `PermissionDenied`; `FileFailure` where it cannot be opened.
  package func open(_ path: String, for opening: Opening, _ arguments: Arguments) throws -> OpenFile {
    try open(Array(path.utf8), for: opening, by: arguments.function.name)
  }

  /// A file that the call is about to read.
  /// - Throws: `PermissionDenied`.
  package func read(_ path: String, for arguments: Arguments) throws {
    _ = try check(Array(path.utf8), .read, by: arguments.function.name)
  }

  /// A file that the call is about to write, or will at its end.
  /// - Returns: where, which stays the file that was looked at, whatever is moved meanwhile.
  /// - Throws: `PermissionDenied`.
  package func write(_ path: String, for arguments: Arguments) throws(PermissionDenied) -> OutputPlace {
    let file = try check(Array(path.utf8), .write, by: arguments.function.name)
    return file.isUnrestricted ? OutputPlace(path) : OutputPlace(path, exact: file.path.bytes)
  }

  /// A file that the call is about to write beside `source`, of a name that was not given to it. Who typed the source
  /// behind a command that ships with the host is not asked. What is no file, or a link, stays as it is.
  /// - Throws: `PermissionDenied`.
  func write(_ path: String, beside source: String, for arguments: Arguments) throws(PermissionDenied) -> OutputPlace {
    let file = try check(
      Array(path.utf8), [.write, .entry], besideTyped: Array(source.utf8), by: arguments.function.name)
    return OutputPlace(path, exact: file.path.bytes, isFile: true)
  }

  /// What a command that ships with the host may do besides: use the files that were typed behind it, and know how to
  /// write for the person.
  func allowStockCommand(_ words: [String]) {
    allow(typed: words)
    allow(variables: ["LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_TIME", "NO_COLOR", "TERM"])
  }
}
