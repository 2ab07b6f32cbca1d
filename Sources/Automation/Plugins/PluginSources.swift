package import Core
import Files
import Glibc

/// The folders and files from which a run takes its plugins; none at first.
package struct PluginSources: Sendable {
  /// The folders whose plugins are all loaded, in this order.
  package var folders: [String] = []
  /// The folder of plugins in the current folder. Its plugins are used if a person trusts them.
  package var folderAtHand: String?
  /// `--trust-plugins`: uses the plugins of the current folder, and asks nobody.
  package var trustsFolderAtHand = false
  /// `--plugin`, in order; they come last.
  package var files: [PluginFile] = []

  /// True if plugins are only listed. Then the user is not asked, and unusable plugins are not reported.
  package var isForList = false

  package init() {}

  /// The user's own, `$XDG_DATA_HOME/b2c-run/plugins`, and `./plugins`.
  package static func usual() -> PluginSources {
    var sources = PluginSources()
    sources.folders = UserFolder.data.path { getenv($0).map { String(path: $0) } }.map { ["\($0)/plugins"] } ?? []
    sources.folderAtHand = "plugins"
    return sources
  }

  /// All folders of plugins.
  package var allFolders: [String] { folders + (folderAtHand.map { [$0] } ?? []) }

  /// Leaves out plugins that nobody has named.
  package mutating func leaveFoldersOut() {
    folders = []
    folderAtHand = nil
  }

  /// Each file once, where it comes last.
  package func all() -> [PluginFile] {
    let own = folders.flatMap { PluginFile.all(in: $0) }
    let atHand = folderAtHand.map { PluginFile.all(in: $0) } ?? []
    let found = own + atHand + files
    guard found.count > 1 || !atHand.isEmpty else { return found }
    // A file that the person has named, or has among their own plugins, is theirs wherever it lies.
    let named = Set((own + files).map(\.identity))
    var seen: Set<FilePath> = []
    return found.reversed().filter { seen.insert($0.identity).inserted }.reversed().map { file in
      var file = file
      file.isAtHand = !named.contains(file.identity)
      return file
    }
  }
}

/// The file of a plugin: `NAME.lua`, or `NAME/init.lua`.
package struct PluginFile: Sendable {
  package let path: String
  /// The path in messages, without control characters: `plugins/todoist.lua`.
  package let shown: String
  /// `todoist`
  package let name: String
  /// True if the plugin was found in the current folder and was not named by the user.
  package internal(set) var isAtHand = false

  /// - Parameter path: that of a Lua file, or of a folder with an `init.lua`.
  package init(_ path: String) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    var last = path.lastName
    if FileSystem.isFolder(path) {
      path += "/init.lua"
    } else if last.hasSuffix(".lua") {
      last.removeLast(4)
    }
    self.path = path
    name = last
    let home = getenv("HOME").map { String(path: $0) } ?? ""
    // Lua shows sixty bytes of a name at the most.
    shown =
      !home.isEmpty && path.hasPrefix("\(home)/") ? "~\(path.dropFirst(home.count))".displayable : path.displayable
  }

  /// The folder of the plugin and its modules.
  package var folder: String { path.parentFolder }

  /// The folder of the file itself, if the plugin is a link.
  package var realFolder: String? { FileSystem.realPath(path).flatMap { PluginFile($0).folder } }

  /// Returns whether a path without links is inside a folder. Links in the path of the folder are resolved first.
  package static func isReally(_ real: String, in folder: String) -> Bool {
    guard let folder = FileSystem.realPath(folder) else { return false }
    return real.utf8.starts(with: (folder.hasSuffix("/") ? folder : "\(folder)/").utf8)
  }

  /// The same for the same file, whatever path leads there.
  package var identity: FilePath { FilePath(FileSystem.realPath(path) ?? path) }

  static func contents(at path: String, limit: Int, followsLink: Bool = true) throws(FileFailure) -> [UInt8] {
    let flags = followsLink ? O_RDONLY : O_RDONLY | O_NOFOLLOW
    return try FileSystem.contents(of: path, Opening(flags, expecting: .file), limit: limit)
  }

  /// The plugins in a folder by name: Lua files, except tests, and folders with `init.lua`. None without such a folder.
  static func all(in folder: String) -> [PluginFile] {
    // Mostly there is no such folder, and then this is all the work.
    guard FileSystem.access(folder, R_OK | X_OK) == 0 else { return [] }
    let names = (try? FileSystem.names(in: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") && !$0.hasSuffix("_test.lua") }.sorted().compactMap { name in
      let file = PluginFile("\(folder)/\(name)")
      return file.path.hasSuffix(".lua") && FileSystem.access(file.path, F_OK) == 0 ? file : nil
    }
  }
}
