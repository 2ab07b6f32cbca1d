import FoundationEssentials
import Glibc

/// A folder that is gone with its owner, with a file in it that stands for standard error, and one for journals of imports.
final class TemporaryFolder {
  let path: String
  /// Open for writing.
  let console: CInt

  var consolePath: String { "\(path)/console" }
  var importsPath: String { "\(path)/imports" }

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "b2c-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "imports"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = folder.path
    console = open("\(path)/console", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard console >= 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  deinit {
    close(console)
    try? FileManager.default.removeItem(atPath: path)
  }
}
