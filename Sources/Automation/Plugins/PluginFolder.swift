import Core
import Files
import Glibc
import JOSE

/// The Lua files in a folder of plugins, as a person trusts them: with their names and contents.
struct PluginFolder {
  /// Absolute, with every link followed.
  let path: String
  /// SHA-256 of each file's contents, by its name below the folder.
  let files: [String: [UInt8]]
  /// SHA-256 over the names and contents, in hexadecimal digits.
  let digest: String

  private static let mostFiles = 2000
  private static let mostBytes = 32 << 20
  private static let deepest = 16

  /// Nil for a folder with too many files, or with files that cannot be read.
  init?(_ folder: String) {
    guard let path = FileSystem.realPath(folder) else { return nil }
    var names: [String] = []
    guard Self.collect("", in: path, 0, &names) else { return nil }
    var files: [String: [UInt8]] = [:]
    var size = 0
    for name in names {
      guard let contents = Self.contents("\(path)/\(name)") else { return nil }
      size += contents.count
      guard size <= Self.mostBytes else { return nil }
      files[name] = SHA256.hash(contents)
    }
    self.init(path: path, files: files)
  }

  init(path: String, files: [String: [UInt8]]) {
    self.path = path
    self.files = files
    var bytes: [UInt8] = []
    for (name, hash) in files.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      // No name has a NUL in it, and all digests have the same length, so that other contents give other bytes.
      bytes += Array(name.utf8) + [0] + hash
    }
    digest = SHA256.hash(bytes).hexadecimal
  }

  /// The new, changed and removed files, in the order of the names.
  func changes(since earlier: PluginFolder) -> [(what: String, name: String)] {
    Set(files.keys).union(earlier.files.keys).sorted().compactMap { name in
      switch (earlier.files[name], files[name]) {
      case (nil, _): ("new", name)
      case (_, nil): ("removed", name)
      case (let before, let now): before == now ? nil : ("changed", name)
      }
    }
  }

  /// Adds the names of all Lua files, also of modules. A link to a folder is added as it is: its target is a part of the
  /// trusted contents.
  private static func collect(_ prefix: String, in folder: String, _ depth: Int, _ names: inout [String]) -> Bool {
    guard depth <= deepest, let entries = try? FileSystem.names(in: folder) else {
      return false
    }
    for entry in entries {
      switch FileSystem.kind(of: "\(folder)/\(entry)", followsLink: false) {
      case S_IFDIR:
        guard collect("\(prefix)\(entry)/", in: "\(folder)/\(entry)", depth + 1, &names) else { return false }
      case S_IFLNK where FileSystem.isFolder("\(folder)/\(entry)"): names.append(prefix + entry)
      case _ where entry.hasSuffix(".lua"): names.append(prefix + entry)
      default: break
      }
      guard names.count <= mostFiles else { return false }
    }
    return true
  }

  /// The target of a link to a folder, or else the contents of the file.
  private static func contents(_ path: String) -> [UInt8]? {
    guard FileSystem.isFolder(path) else { return try? PluginFile.contents(at: path, limit: mostBytes) }
    return FileSystem.target(ofLink: path)
  }
}
