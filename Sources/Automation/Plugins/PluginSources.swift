import Core
import Glibc

/// Where a run takes its plugins from; nowhere if nothing is said.
package struct PluginSources: Sendable {
  /// In which every plugin is loaded, in this order.
  package var folders: [String] = []
  /// The one whose plugins came with whatever else is in the folder at hand: they are used where a person trusts them.
  package var folderAtHand: String?
  /// `--trust-plugins`: those of the folder at hand are used, and nobody is asked.
  package var trustsFolderAtHand = false
  /// `--plugin`, in order; they come last.
  package var files: [PluginFile] = []

  /// Whether this is to list plugins: then nobody is asked about any, and none is reported that cannot be used.
  package var isForList = false

  package init() {}

  /// The user's own, `$XDG_DATA_HOME/b2c-run/plugins`, and `./plugins`.
  package static func usual() -> PluginSources {
    var sources = PluginSources()
    sources.folders = UserFolder.data.path { getenv($0).map { String(cString: $0) } }.map { ["\($0)/plugins"] } ?? []
    sources.folderAtHand = "plugins"
    return sources
  }

  /// The folders that plugins are looked for in.
  package var allFolders: [String] { folders + (folderAtHand.map { [$0] } ?? []) }

  /// Leaves plugins out that nobody has named.
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
    // What somebody has named, or has among his own, is his wherever it lies.
    let named = Set((own + files).map(\.identity))
    var seen: Set<String> = []
    return found.reversed().filter { seen.insert($0.identity).inserted }.reversed().map { file in
      var file = file
      file.isAtHand = !named.contains(file.identity)
      return file
    }
  }
}
