package import Files
import Glibc
import HostLoop

/// The door to every file that a script names: the path is resolved and checked, and the file that was checked is opened, in
/// one step. Nothing else opens such a path, so that no second look at it can find another file.
extension Permissions {
  /// - Parameters:
  ///   - path: as the script gave it.
  ///   - call: who wants that, for messages: `http.request`.
  /// - Throws: `PermissionDenied`; `FileFailure` where the file cannot be opened.
  package func open(_ path: ResolvedPath.Bytes, for opening: Opening, by call: String) throws -> OpenFile {
    var use: FileUse = opening.reads ? .read : []
    if opening.writes { use.insert(.write) }
    return try check(path, use, by: call).open(opening)
  }
}

extension Permissions.File {
  /// Opens the file that was checked. A link that has come into its way meanwhile is not followed.
  package func open(_ opening: Opening) throws(FileFailure) -> OpenFile {
    if isUnrestricted { return try OpenFile(given, opening) }
    if path.isNowhere { throw FileFailure(number: ENOENT) }
    return try OpenFile(exact: path.bytes, opening)
  }

  /// Holds open the folder that the checked name is in, to remove, move or replace what has that name.
  package func entry() throws(FileFailure) -> FolderEntry {
    if isUnrestricted { return try FolderEntry(given: given) }
    if path.isNowhere { throw FileFailure(number: ENOENT) }
    return try FolderEntry(exact: path.bytes)
  }
}
