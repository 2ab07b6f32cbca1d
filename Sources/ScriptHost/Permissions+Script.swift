import Core
import Files
import HostLoop
import Lua
import LuaKit
import Permissions

/// The functions of Lua that load code from a file.
private let isCode: Set<String> = ["require", "loadfile", "dofile"]

extension LuaState {
  func ask(_ permissions: Permissions) {
    onLibraryAccess = { access in
      do {
        switch access.use {
        case .file(let reads, let writes, let opening):
          if let opening {
            let file = try permissions.open(access.thing, for: opening, by: access.call)
            guard isCode.contains(access.call), let sealed = SealedSources.current.withLock({ $0 }) else {
              return .file(file)
            }
            return .file(try sealed.code(of: file, access))
          }
          var use: Permissions.FileUse = reads ? .read : []
          if writes { use.insert(.write) }
          _ = try permissions.check(access.thing, use, by: access.call)
        case .entry(let reads):
          let use: Permissions.FileUse = reads ? [.read, .write, .entry] : [.write, .entry]
          return .entry(try permissions.check(access.thing, use, by: access.call).entry())
        case .variable:
          try permissions.check(variable: String(pathBytes: access.thing), access.thing, by: access.call)
        case .command:
          try permissions.check(command: String(pathBytes: access.thing), access.thing, by: access.call)
        }
        return .allowed
      } catch let failure as FileFailure {
        return .failed(failure)
      }
    }
  }
}

extension Permissions {
  /// Grants what a stock command needs: the files named on its command line, and variables about its output's format.
  func allowStockCommand(_ words: [String]) {
    allow(typed: words)
    allow(variables: ["LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_TIME", "NO_COLOR", "TERM"])
  }
}

extension SealedSources {
  /// A copy of a file of code, in memory.
  /// - Throws: `file_changed` for code that is not the code of the digests.
  fileprivate func code(of file: OpenFile, _ access: LibraryAccess) throws(LuaError) -> OpenFile {
    do { return try copy(of: file) } catch {
      throw LuaError(
        code: "file_changed", message: "\(access.call): cannot load \(String(pathBytes: access.thing)): \(error.reason)"
      )
    }
  }
}
