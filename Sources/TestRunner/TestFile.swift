import CommandLine
import Core
import Files
import Glibc
import HostLoop
import Lua
import LuaKit

package struct TestFile: Sendable {
  static let suffix = "_test.lua"

  /// The path as given, or below the given folder.
  let path: String

  var name: String { path.lastName }

  /// Finds the test files in `paths`, each once. A file is taken as it is. In a folder and its subfolders, files whose
  /// names end in `_test.lua` are taken in alphabetical order. Hidden files and folders are skipped.
  /// - Throws: `usage` if a path does not exist or no file is found.
  static func find(_ paths: [String]) throws -> [TestFile] {
    let files = try GivenFiles.find(paths.isEmpty ? ["."] : paths, endingIn: suffix, for: "test")
    guard !files.isEmpty else {
      throw LuaError.usage(
        "test: no tests: there is no file *\(suffix) in \(paths.isEmpty ? "this folder" : paths.joined(separator: ", "))",
        hint: "b2c-run new NAME writes a script with its test")
    }
    return files.map(TestFile.init)
  }
}

struct SourcePlace: CustomStringConvertible {
  let path: String
  let line: Int
  let text: String?

  var description: String { "\(path):\(line)" }

  /// The place where `error` was raised; nil if the error has no place.
  @HostActor
  init?(of error: LuaError, in file: TestFile, read: (String) throws -> [UInt8]) {
    // Lua puts the place of a syntax error into the message.
    guard let place = error.location else { return nil }
    guard let colon = place.lastIndex(of: ":"), let line = Int(place[place.index(after: colon)...]) else { return nil }
    let name = String(place[..<colon])
    path = name == file.name ? file.path : name.hasPrefix("./") ? String(name.dropFirst(2)) : name
    self.line = line
    // Any text can be loaded under the name of any file, so a named file is shown only after this check.
    guard Self.isSource(path, of: file), let bytes = try? read(path) else {
      text = nil
      return
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    text = lines.indices.contains(line - 1) ? String(lines[line - 1].drop { $0 == " " || $0 == "\t" }) : nil
  }

  /// True for the test file and Lua files in its folder or subfolders, after resolving all symbolic links.
  private static func isSource(_ path: String, of file: TestFile) -> Bool {
    guard let real = FileSystem.realPath(path), let own = FileSystem.realPath(file.path) else { return false }
    if real == own { return true }
    guard real.hasSuffix(".lua"), FileSystem.kind(of: real) == S_IFREG, let slash = own.lastIndex(of: "/") else {
      return false
    }
    return real.utf8.starts(with: own[...slash].utf8)
  }

  /// The first line of the traceback that is in the test's own file.
  func caller(in error: LuaError, _ file: TestFile) -> String? {
    for line in error.traceback?.split(separator: "\n") ?? [] {
      let parts = line.drop { $0 == "\t" }.split(separator: ":")
      if parts.count > 1, parts[0] == file.name, let number = Int(parts[1]) { return "\(file.path):\(number)" }
    }
    return nil
  }
}
