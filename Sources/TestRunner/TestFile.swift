import Lua
import LuaBindings

/// A file that declares tests.
struct TestFile {
  static let suffix = "_test.lua"

  /// The path as given, or below the given folder.
  let path: String

  /// The name of the file in the locations of errors.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Finds the test files in `paths`, each once. A file is taken as it is. In a folder and its subfolders, files whose
  /// names end in `_test.lua` are taken in alphabetical order. Hidden files and folders are skipped.
  /// - Throws: `usage` if a path does not exist or no file is found.
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
