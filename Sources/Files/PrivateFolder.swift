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
    /// Other users can replace the files of the folder. The text says how.
    case open(String)
  }

  /// Makes the missing folders of the path with mode 0700. Existing ones keep their mode. New ones survive a power cut.
  package static func make(_ path: String) throws(Trouble) {
    do {
      try FileSystem.makeFolder(path, mode: 0o700) { synchronize($0.parentFolder) }
    } catch { throw FileSystem.exists(path) ? .notAFolder : .refused(error.reason) }
    try check(path)
  }

  /// Throws `open` if another user can put files into the folder: a prepared database would give permissions and name
  /// servers for tokens, and a prepared socket would get the commands. A folder that is not there is fine.
  package static func check(_ path: String) throws(Trouble) {
    guard let status = FileSystem.status(of: path) else { return }
    guard [geteuid(), 0].contains(status.st_uid) else { throw .open("it belongs to the user \(status.st_uid)") }
    guard status.st_mode & S_IWOTH == 0 else { throw .open("all users may write to it") }
    // The usual umask of a user with an own group lets this group write.
    guard status.st_mode & S_IWGRP == 0 || status.st_gid == getegid() else {
      throw .open("the group \(status.st_gid) may write to it")
    }
  }

  /// The way out of `open`.
  package static func remedy(_ path: String) -> String { "chown the folder to yourself, and chmod go-w \(path)" }

  /// Writes the names in a folder to the disk, if the folder can be opened and the file system supports it.
  package static func synchronize(_ folder: String) {
    let descriptor = folder.withPath { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
