import Core
import Files
import Glibc

/// Files that commands write.
package enum TextFile {
  /// Writes `text` to `path`, making the folders it is in.
  package static func write(_ text: String, to path: String) throws(UsageError) {
    let folder = path.parentFolder
    do { try FileSystem.makeFolder(folder) } catch { throw failure("make the folder \(folder)", error) }
    do {
      try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_TRUNC)).write(text.utf8)
    } catch { throw failure("write \(path)", error) }
  }

  private static func failure(_ what: String, _ failure: FileFailure) -> UsageError {
    UsageError("cannot \(what): \(failure.reason)", hint: "name a folder that can be written to")
  }
}
