import Lua
import LuaBindings

/// A file that declares tests.
struct TestFile {
  static let suffix = "_test.lua"

  /// As it was given, or under the folder that was given.
  let path: String

  /// The name of the file in the locations of errors.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The files of `paths`, each once: a file is taken as it is; of a folder those whose names end in `_test.lua`, and those
  /// of the folders in it, in the order of the alphabet. What is hidden is left out.
  /// - Throws: `usage` for a path that is not there, and when there is no file at all.
  static func find(_ paths: [String]) throws -> [TestFile] {
    let files = try ScriptFiles.find(paths.isEmpty ? ["."] : paths, endingIn: suffix, for: "test")
    guard !files.isEmpty else {
      throw LuaError.usage(
        "test: no tests: there is no file *\(suffix) in \(paths.isEmpty ? "this folder" : paths.joined(separator: ", "))",
        hint: "b2c-run new NAME writes a script with its test")
    }
    return files.map(TestFile.init)
  }
}
