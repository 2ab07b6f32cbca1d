import Core
import Glibc

/// Folders that only their owner may read, for databases.
package enum PrivateFolder {
  /// The reason why a folder could not be made.
  package enum Trouble: Error, Equatable {
    /// The name belongs to something else.
    case notAFolder
    /// The system's message.
    case refused(String)
  }

  /// Makes the missing folders of the path with mode 0700. Existing ones keep their mode. New ones survive a power cut.
  package static func make(_ path: String) throws(Trouble) {
    do {
      try FileSystem.makeFolder(path, mode: 0o700) { synchronize($0.parentFolder) }
    } catch { throw FileSystem.exists(path) ? .notAFolder : .refused(error.reason) }
  }

  /// Writes the names in a folder to the disk, if the folder can be opened and the file system supports it.
  package static func synchronize(_ folder: String) {
    let descriptor = folder.withPath { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
