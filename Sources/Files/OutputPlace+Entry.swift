import Glibc

extension OutputPlace {
  /// The file's name in its folder, which stays the same folder from now on. Of a place that was looked at, no link is
  /// followed; of another, every link is.
  package func entry() throws(FileFailure) -> FolderEntry {
    switch way {
    case .exact(let path): return try FolderEntry(exact: path)
    case .following:
      guard let real = realpath(path, nil) else { return try FolderEntry(given: Array(path.utf8)) }
      defer { free(real) }
      return try FolderEntry(given: Array(String(cString: real).utf8))
    }
  }
}
