import ImportFormats
import Lua
import LuaKit
import Permissions

extension Permissions {
  /// A file of rows that a script names; "-" is standard input. Throws `PermissionDenied`, or `ImportError` on opening.
  func source(_ path: String, _ arguments: Arguments) throws -> SourceFile {
    path == "-" ? .standardInput : try SourceFile(path) { try self.open(path, for: $0, arguments) }
  }
}
