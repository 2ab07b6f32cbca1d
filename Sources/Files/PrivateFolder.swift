import Glibc

/// Folders for databases that only their owner may read.
package enum PrivateFolder {
  /// Why a folder could not be made.
  package enum Trouble: Error, Equatable {
    /// There is something else by that name.
    case notAFolder
    /// In the system's words.
    case refused(String)
  }

  /// Makes the folder and those above it that are missing, with mode 0700; one that exists keeps its mode. What was made
  /// is still there after a power cut.
  package static func make(_ path: String) throws(Trouble) {
    if mkdir(path, 0o700) == 0 { return syncParent(of: path) }
    var reason = errno
    if reason == EEXIST {
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
      throw .notAFolder
    }
    if reason == ENOENT, let parent = parent(of: path) {
      try make(parent)
      if mkdir(path, 0o700) == 0 || errno == EEXIST { return syncParent(of: path) }
      reason = errno
    }
    throw .refused(String(cString: strerror(reason)))
  }

  private static func syncParent(of path: String) { synchronize(parent(of: path) ?? "/") }

  /// Puts the names in a folder on the disk. Does nothing for a folder that cannot be opened, and on a file system that
  /// does not support it: the names are then as safe as without this call.
  package static func synchronize(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func parent(of path: String) -> String? {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash > path.startIndex ? String(path[..<slash]) : nil
  }
}
