import Core
import Glibc

/// A folder that its owner alone may use, and that is removed with this object.
package final class ScratchFolder: Sendable {
  package let path: String

  package init(_ prefix: String) throws(FileFailure) { path = try TemporaryPlace.makeFolder(prefix) }

  deinit { TemporaryPlace.remove(path) }
}

/// Folders and files for the time of a run, in the folder `TMPDIR` or in `/tmp`.
package enum TemporaryPlace {
  package static var folder: String { getenv("TMPDIR").map { String(path: $0) } ?? "/tmp" }

  /// Makes a new folder that its owner alone may use.
  package static func makeFolder(_ prefix: String) throws(FileFailure) -> String {
    var template = "\(folder)/\(prefix)XXXXXX".pathBytes.map { CChar(bitPattern: $0) } + [0]
    guard let path = mkdtemp(&template) else { throw FileFailure(number: errno) }
    return String(path: path)
  }

  /// Opens a new file without a name. It is removed when it is closed.
  package static func openFile(_ prefix: String) throws(FileFailure) -> OpenFile {
    let path = "\(folder)/\(prefix)\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    let file = try OpenFile(path, Opening(O_RDWR | O_CREAT | O_EXCL, mode: 0o600))
    FileSystem.unlink(path)
    return file
  }

  /// Removes a folder with its contents. Links are removed, not followed, even links that appear meanwhile.
  package static func remove(_ path: String) {
    if let folder = try? OpenFile(path, Opening(O_RDONLY | O_NOFOLLOW, expecting: .folder)) { empty(folder) }
    _ = path.withPath { rmdir($0) }
  }

  private static func empty(_ folder: OpenFile) {
    guard let copy = try? folder.duplicate(), let stream = fdopendir(copy) else { return }
    defer { closedir(stream) }
    for entry in FileSystem.names(stream)
    where entry.name.withPath({ unlinkat(folder.descriptor, $0, 0) }) != 0 {
      if let inner = try? OpenFile(in: folder, entry.name, Opening(O_RDONLY | O_NOFOLLOW, expecting: .folder)) {
        empty(inner)
      }
      _ = entry.name.withPath { unlinkat(folder.descriptor, $0, AT_REMOVEDIR) }
    }
  }
}
