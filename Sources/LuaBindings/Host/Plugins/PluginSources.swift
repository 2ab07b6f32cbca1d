import Accounts

/// Where a run takes its plugins from.
package struct PluginSources: Sendable {
  /// In which every plugin is loaded, in this order.
  package var folders: [String] = []
  /// `--plugin`, in order; they come last.
  package var files: [PluginFile] = []

  /// Whether a plugin that cannot be used is reported when that is found out.
  package var reportsProblems = true

  package init() {}

  /// The user's own, then those beside the script at hand: `$XDG_DATA_HOME/b2c-run/plugins` and `./plugins`.
  package static func usualFolders() -> [String] {
    ((try? AccountStore.standardFolder()).map { ["\($0)/plugins"] } ?? []) + ["plugins"]
  }

  /// Each file once, where it comes last.
  func all() -> [PluginFile] {
    let found = folders.flatMap { PluginFile.all(in: $0) } + files
    guard found.count > 1 else { return found }
    var seen: Set<String> = []
    return found.reversed().filter { seen.insert($0.identity).inserted }.reversed()
  }
}
