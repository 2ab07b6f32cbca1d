package import Files
import Glibc
import HostLoop

/// The files that are granted at one moment. A value, which any thread may use: nobody is asked.
package struct FileRules: Sendable {
  let grants: Grants
  /// Folders and files that may be read or written with all that is in them.
  let paths: [Permission: [ResolvedPath]]
  let typed: TypedFiles
  let hostFiles: HostFiles
  let base: ResolvedPath.Bytes

  /// Opens a file or a folder as `Permissions.open` does: the path is resolved and checked, and what was checked is opened.
  /// - Throws: `PermissionDenied`; `FileFailure` where the file cannot be opened.
  package func open(_ path: ResolvedPath.Bytes, for opening: Opening, by call: String) throws -> OpenFile {
    if grants.allowsEverything { return try OpenFile(path, opening) }
    let resolved = ResolvedPath(path, from: base)
    func denied(_ permission: Permission, _ obstacle: Access.Obstacle?) -> PermissionDenied {
      PermissionDenied(Access(permission, resolved.text, value: resolved.text, call: call, obstacle: obstacle))
    }
    for (use, permission) in [(Permissions.FileUse.read, Permission.read), (.write, .write)] {
      guard use == .read ? opening.reads : opening.writes else { continue }
      guard !isGranted(resolved, permission, use) else { continue }
      throw denied(permission, obstacle(to: resolved, permission, use))
    }
    if resolved.isNowhere { throw FileFailure(number: ENOENT) }
    let file = try OpenFile(exact: resolved.bytes, opening)
    // The path does not tell where file systems are mounted.
    guard !file.isOfSystem || typed.contains(resolved) else { throw denied(opening.writes ? .write : .read, .system) }
    return file
  }

  func isGranted(_ path: ResolvedPath, _ permission: Permission, _ use: Permissions.FileUse) -> Bool {
    let obstacle = obstacle(to: path, permission, use)
    if obstacle != .host, typed.contains(path) { return true }
    return obstacle == nil
      && (grants.allowsEverything || grants.whole.contains(permission)
        || paths[permission, default: []].contains(where: path.isWithin))
  }

  /// The obstacle to a file that is no ordinary file, or the host's own; nil for other files.
  func obstacle(
    to path: ResolvedPath, _ permission: Permission, _ use: Permissions.FileUse
  ) -> Access.Obstacle? {
    if hostFiles.meet(path, permission, use) { return .host }
    if path.isByProcess { return .system }
    if path == Self.nothing, !use.contains(.entry) { return nil }
    return Self.system.contains(where: path.isWithin) ? .system : nil
  }

  private static let system = ["/proc", "/sys", "/dev"].map { ResolvedPath(name: $0) }
  static let nothing = ResolvedPath(name: "/dev/null")
}

extension Permissions {
  /// The rules of this moment.
  var rules: FileRules {
    FileRules(grants: grants, paths: paths, typed: typed, hostFiles: hostFiles, base: base)
  }

  /// The files that other flags grant, from another folder. The files that are closed here are closed there, too.
  package func rules(granting flags: [String], from base: ResolvedPath.Bytes) -> FileRules {
    let grants = Grants(flags: flags)
    let paths = [Permission.read, .write].map { permission in
      (permission, (grants.values[permission] ?? []).map { ResolvedPath($0, from: base) })
    }
    return FileRules(
      grants: grants, paths: Dictionary(paths) { $1 }, typed: TypedFiles(), hostFiles: hostFiles, base: base)
  }
}
