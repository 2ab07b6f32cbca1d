import Accounts
import Core
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
      hostFiles + programFolders, open: programFolders,
      // The folder of --store may be one that has other things in it.
      beginnings: storeFolders.flatMap(AccountStore.fileBeginnings))
    if configuration.mayAsk {
      permissions.ask = { [unowned self] access in
        PermissionPrompt(console) { [state] in state.isStopping || Task.isCancelled }
          .ask(access, place: state.place, reason: headers.lazy.compactMap { $0.reason(for: access) }.first)
      }
    }
    state.onLibraryAccess = { [permissions] access in
      do {
        switch access.use {
        case .file(let reads, let writes, let opening):
          if let opening { return .file(try permissions.open(access.thing, for: opening, by: access.call)) }
          var use: Permissions.FileUse = reads ? .read : []
          if writes { use.insert(.write) }
          _ = try permissions.check(access.thing, use, by: access.call)
        case .entry(let reads):
          let use: Permissions.FileUse = reads ? [.read, .write, .entry] : [.write, .entry]
          return .entry(try permissions.check(access.thing, use, by: access.call).entry())
        case .variable:
          try permissions.check(variable: String(decoding: access.thing, as: UTF8.self), by: access.call)
        case .command:
          try permissions.check(command: String(decoding: access.thing, as: UTF8.self), by: access.call)
        }
        return .allowed
      } catch let failure as FileFailure {
        return .failed(failure)
      }
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

  /// Code that this run and the next ones take from there, whatever a script does: it may be read, and stays as it is.
  private var programFolders: [String] { PluginSources.usual().allFolders + [configuration.scriptsFolder] }

  /// The database of --local=DATA, with its log.
  private var tenantFiles: [String] {
    configuration.tenantData.map { data in ["", "-wal", "-shm", "-journal"].map { data + $0 } } ?? []
  }

  /// The folder of plugins and of what is installed for the user alone, with the local tenant's key. Earlier versions kept
  /// accounts there.
  private var dataFolder: String? { AccountStore.earlierFolder() }

  private var storeFolders: [String] {
    [configuration.storePath, try? AccountStore.standardFolder(), dataFolder].compactMap { $0 }
  }
}

extension Permissions {
  /// Opens a file that a script names, once it may be used.
  /// - Throws: `PermissionDenied`; `FileFailure` where it cannot be opened.
  package func open(_ path: String, for opening: Opening, _ arguments: Arguments) throws -> OpenFile {
    try self.open(Array(path.utf8), for: opening, by: arguments.function.name)
  }

  /// A file of rows that a script names; "-" is standard input.
  /// - Throws: `PermissionDenied`; `ImportError` where it cannot be opened.
  func source(_ path: String, _ arguments: Arguments) throws -> SourceFile {
    path == "-" ? .standardInput : try SourceFile(path) { try self.open(path, for: $0, arguments) }
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
