import Diagnostics
import FoundationEssentials

/// A file that declares tests.
struct TestFile {
  static let suffix = "_test.lua"

  /// As it was given, or under the folder that was given.
  let path: String

  /// What the locations of its errors begin with.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The files of `paths`, each once: a file is taken as it is; of a folder those whose names end in `_test.lua`, and those
  /// of the folders in it, in the order of the alphabet. What is hidden is left out.
  /// - Throws: `TestSelectionError` for a path that is not there, and when there is no file at all.
  static func find(_ paths: [String]) throws -> [TestFile] {
    var files: [String] = []
    for path in paths.isEmpty ? ["."] : paths {
      var isFolder = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw TestSelectionError("test: there is no file or folder '\(path)'", hint: nil)
      }
      files += isFolder ? inside(path) : [path]
    }
    guard !files.isEmpty else {
      throw TestSelectionError(
        "test: no tests: there is no file *\(suffix) in \(paths.isEmpty ? "this folder" : paths.joined(separator: ", "))",
        hint: "b2c-run new NAME writes a script with its test")
    }
    var known = Set<String>()
    return files.filter { known.insert($0).inserted }.map(TestFile.init)
  }

  private static func inside(_ folder: String) -> [String] {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }
    let path = { (name: String) in folder == "." ? name : "\(folder.hasSuffix("/") ? folder : "\(folder)/")\(name)" }
    let kinds = names.sorted().map { name in
      // Links to folders are not followed: they may lead back.
      let kind = try? FileManager.default.attributesOfItem(atPath: path(name))[.type] as? FileAttributeType
      return (path: path(name), isFolder: kind == .typeDirectory)
    }
    return kinds.filter { !$0.isFolder && $0.path.hasSuffix(suffix) }.map(\.path)
      + kinds.filter(\.isFolder).flatMap { inside($0.path) }
  }
}

/// There is nothing to test.
struct TestSelectionError: Failure {
  let message: String
  let hint: String?
  var code: String { "usage" }

  init(_ message: String, hint: String?) {
    self.message = message
    self.hint = hint
  }
}
