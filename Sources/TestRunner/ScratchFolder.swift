import Files
import Lua

/// A folder for what one test leaves behind, such as the journals of its imports.
struct ScratchFolder {
  let path: String

  init() throws {
    do { path = try TemporaryPlace.makeFolder("b2c-run-test-") } catch {
      throw LuaError(
        code: "no_folder", message: "cannot make a folder in \(TemporaryPlace.folder): \(error.reason)",
        hint: "the variable TMPDIR names another place")
    }
  }

  func remove() { TemporaryPlace.remove(path) }
}
