import Core
import ImportFormats
import Lua
import LuaKit
import Permissions

extension Permissions {
  /// A file of rows that a script names; "-" is standard input. Throws `PermissionDenied`, or `ImportError` on opening.
  func source(_ path: String, _ arguments: Arguments) throws -> SourceFile {
    if path == "-" { return .standardInput }
    do { return try SourceFile(path) { try self.open(path, for: $0, arguments) } } catch let error as ImportError
      where error.kind == .fileNotFound
    {
      guard let inside = ArchivePath(path) else { throw error }
      var source = try SourceFile(inside.archive) { try self.open(inside.archive, for: $0, arguments) }
      source.part = inside.entry
      return source
    }
  }
}
