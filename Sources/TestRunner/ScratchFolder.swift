import FoundationEssentials
import Lua

/// A folder for what one test leaves behind, such as the journals of its imports.
struct ScratchFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "b2c-run-test-\(UUID().uuidString)")
    path = url.path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw LuaError(code: "no_folder", message: "cannot make the folder \(path): \(error)")
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
