import Core
package import Files
import Glibc
import HostLoop
package import Lua
package import Permissions

extension Permissions {
  /// Opens a file that a script names. Throws `PermissionDenied`; `FileFailure` where it cannot be opened.
  package func open(_ path: String, for opening: Opening, _ arguments: Arguments) throws -> OpenFile {
    try self.open(path.pathBytes, for: opening, by: arguments.function.name)
  }

  /// Reads a whole file that a script names.
  /// - Parameters:
  ///   - most: in bytes; a memory limit of the run lowers it, since the bytes exist twice.
  ///   - reason: the description of the limit: `the most that a request may carry`.
  ///   - isSecret: true for contents that no other user may be able to read.
  /// - Throws: `PermissionDenied`; `file_unreadable`; "not enough memory" for a file beyond the run's memory limit.
  package func contents(
    of path: String, for opening: Opening, most: Int, _ reason: String, _ arguments: Arguments,
    isSecret: ([UInt8]) -> Bool = { _ in false }
  ) throws -> [UInt8] {
    let limit = min(arguments.state.memoryLeft / 2, most)
    do {
      let file = try self.open(path, for: opening, arguments)
      let bytes = try file.contents(limit: limit)
      if isSecret(bytes) { try PrivateFile.check(file, path) }
      return bytes
    } catch let failure as FileFailure {
      let isTooLarge = failure.number == EFBIG
      if isTooLarge, limit < most { throw LuaError.outOfMemory }
      let problem = isTooLarge ? "it has more than \(most >> 20) MiB, \(reason)" : failure.reason
      throw LuaError(code: "file_unreadable", message: "\(arguments.function.name): cannot read \(path): \(problem)")
    }
  }

  /// Reads a file that is the body of a request.
  package func body(_ path: String, _ arguments: Arguments) throws -> [UInt8] {
    try contents(of: path, for: .reading, most: 1 << 30, "the most that a request may carry", arguments)
  }

  /// A file that a script names, and that the call is about to write, or will at its end.
  package func write(_ path: String, for arguments: Arguments) throws(PermissionDenied) -> OutputPlace {
    try write(path, by: arguments.function.name)
  }
}
