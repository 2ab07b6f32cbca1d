import Files

/// The host's own files, which are closed to scripts.
struct HostFiles {
  /// Files, and folders with all that is in them.
  let paths: [ResolvedPath]
  /// How the paths of others begin, such as those of a store in a folder that has more.
  let beginnings: [ResolvedPath]
  /// Links that lead to these. Whoever moves one takes the host's files from where they are looked for.
  let links: [ResolvedPath]
  /// Folders among them whose files are there to be read, such as that of plugins.
  let open: [ResolvedPath]

  init(paths: [String], open: [String], beginnings: [String], base: ResolvedPath.Bytes) {
    self.paths = paths.map { ResolvedPath($0, from: base) }
    self.beginnings = beginnings.map { ResolvedPath($0, from: base) }
    links = (paths + beginnings).flatMap { ResolvedPath.links(to: $0, from: base) }
    self.open = open.map { ResolvedPath($0, from: base) }
  }

  /// True if these are reached by what is done at `path`.
  func meet(_ path: ResolvedPath, _ permission: Permission, _ use: Permissions.FileUse) -> Bool {
    let isOpen = permission == .read && open.contains(where: path.isWithin)
    if !isOpen, paths.contains(where: path.isWithin) { return true }
    if beginnings.contains(where: { path.bytes.starts(with: $0.bytes) }) { return true }
    // Moving a folder moves everything in it.
    return use.contains(.entry) && (paths + beginnings + links).contains { $0.isWithin(path) }
  }
}
