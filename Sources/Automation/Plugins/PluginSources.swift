import Core
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
    sources.folders = UserFolder.data.path { getenv($0).map { String(cString: $0) } }.map { ["\($0)/plugins"] } ?? []
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
    var seen: Set<String> = []
    return found.reversed().filter { seen.insert($0.identity).inserted }.reversed().map { file in
      var file = file
      file.isAtHand = !named.contains(file.identity)
      return file
    }
  }
}
