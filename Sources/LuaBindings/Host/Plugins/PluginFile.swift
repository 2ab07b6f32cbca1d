import Diagnostics
import FoundationEssentials
import Glibc

/// Where a plugin is: `NAME.lua`, or `NAME/init.lua`.
package struct PluginFile: Sendable {
  package let path: String
  /// How messages and places in them call it, without control characters: `plugins/todoist.lua`.
  package let shown: String
  /// `todoist`
  let name: String
  /// Whether it is in the folder at hand, and nobody has named it.
  package internal(set) var isAtHand = false

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
    shown =
      !home.isEmpty && path.hasPrefix("\(home)/") ? "~\(path.dropFirst(home.count))".displayable : path.displayable
  }

  /// The folder it is in, where it finds its modules.
  var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

  /// The one the file itself is in, where a link leads to it.
  var realFolder: String? { Self.realPath(path).flatMap { PluginFile($0).folder } }

  /// Whether it is in the folder once every link has been followed.
  func isReally(in folder: String) -> Bool {
    guard let real = Self.realPath(path), let folder = Self.realPath(folder) else { return false }
    return real.utf8.starts(with: (folder.hasSuffix("/") ? folder : "\(folder)/").utf8)
  }

  /// The same for the same file, whatever path leads there.
  package var identity: String { Self.realPath(path) ?? path }

  /// Absolute, with every link followed; nil where there is nothing.
  static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// What is in a file; nil, with `errno` set, for what cannot be read, is no file, or is longer than `limit` bytes.
  static func contents(at path: String, limit: Int, followsLink: Bool = true) -> [UInt8]? {
    // Of a pipe nobody may ever open the other end.
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let file = open(path, followsLink ? flags : flags | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
      errno = status.st_mode & S_IFMT == S_IFREG ? EFBIG : EINVAL
      return nil
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(Int(status.st_size) + 1, 64 << 10))
    while true {
      let count = read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0, bytes.count + count <= limit else { return nil }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
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
