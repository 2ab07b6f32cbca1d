import Core
package import Files
import Glibc
import HostLoop
import ImportFormats
package import Lua
package import Permissions

extension LuaState {
  func ask(_ permissions: Permissions) {
    onLibraryAccess = { access in
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
  /// Opens a file that a script names. Throws `PermissionDenied`; `FileFailure` where it cannot be opened.
  package func open(_ path: String, for opening: Opening, _ arguments: Arguments) throws -> OpenFile {
    try self.open(path.pathBytes, for: opening, by: arguments.function.name)
  }

  /// Reads a whole file that a script names.
  /// - Parameters:
  ///   - most: in bytes; a memory limit of the run lowers it, since the bytes exist twice.
  ///   - reason: what the most is: `the most that a request may carry`.
  /// - Throws: `PermissionDenied`; `file_unreadable`; "not enough memory" for a file beyond the run's memory limit.
  func contents(
    of path: String, for opening: Opening, most: Int, _ reason: String, _ arguments: Arguments
  ) throws -> [UInt8] {
    let limit = min(arguments.state.memoryLeft / 2, most)
    do {
      return try self.open(path, for: opening, arguments).contents(limit: limit)
    } catch let failure as FileFailure {
      let isTooLarge = failure.number == EFBIG
      if isTooLarge, limit < most { throw LuaError.outOfMemory }
      let problem = isTooLarge ? "it has more than \(most >> 20) MiB, \(reason)" : failure.reason
      throw LuaError(code: "file_unreadable", message: "\(arguments.function.name): cannot read \(path): \(problem)")
    }
  }

  func body(_ path: String, _ arguments: Arguments) throws -> [UInt8] {
    try contents(of: path, for: .reading, most: 1 << 30, "the most that a request may carry", arguments)
  }

  /// A file of rows that a script names; "-" is standard input. Throws `PermissionDenied`, or `ImportError` on opening.
  func source(_ path: String, _ arguments: Arguments) throws -> SourceFile {
    path == "-" ? .standardInput : try SourceFile(path) { try self.open(path, for: $0, arguments) }
  }

  /// A file that a script names, and that the call is about to write, or will at its end.
  package func write(_ path: String, for arguments: Arguments) throws(PermissionDenied) -> OutputPlace {
    try write(path, by: arguments.function.name)
  }

  /// Grants what a stock command needs: the files named on its command line, and variables about its output's format.
  func allowStockCommand(_ words: [String]) {
    allow(typed: words)
    allow(variables: ["LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_TIME", "NO_COLOR", "TERM"])
  }
}
