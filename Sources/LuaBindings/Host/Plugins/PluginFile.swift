import FoundationEssentials
import Glibc

/// Where a plugin is: `NAME.lua`, or `NAME/init.lua`.
package struct PluginFile: Sendable {
  package let path: String
  /// How messages and places in them call it: `plugins/todoist.lua`.
  package let shown: String
  /// `todoist`
  let name: String

  /// - Parameter path: that of a Lua file, or of a folder with an `init.lua`.
  package init(_ path: String) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    var last = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder {
      path += "/init.lua"
    } else if last.hasSuffix(".lua") {
      last.removeLast(4)
    }
    self.path = path
    name = last
    let home = getenv("HOME").map { String(cString: $0) } ?? ""
    // Lua shows sixty bytes of a name at the most.
    shown = !home.isEmpty && path.hasPrefix("\(home)/") ? "~\(path.dropFirst(home.count))" : path
  }

  /// The folder it is in, where it finds its modules.
  var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

  /// The same for the same file, whatever path leads there.
  var identity: String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The plugins in a folder, by name: Lua files, except tests, and folders with an `init.lua`. None where there is no
  /// such folder.
  static func all(in folder: String) -> [PluginFile] {
    // Asked first, for mostly there is none, and then that is all there is to do.
    guard access(folder, R_OK | X_OK) == 0 else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") && !$0.hasSuffix("_test.lua") }.sorted().compactMap { name in
      let file = PluginFile("\(folder)/\(name)")
      return file.path.hasSuffix(".lua") && access(file.path, F_OK) == 0 ? file : nil
    }
  }
}
