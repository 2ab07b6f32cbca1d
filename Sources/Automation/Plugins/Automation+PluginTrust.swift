import Core
import Glibc
import HostLoop
import Permissions

extension Automation {
  /// The most files that a question names.
  private nonisolated static let mostNamed = 12

  /// The sources of this run's plugins. The plugins of the current folder are among them only if a person trusts them. On a
  /// terminal the person is asked once; the answer yes is kept until something in the folder changes.
  package func settledPlugins() throws -> PluginSources {
    var sources = configuration.plugins
    let files = sources.trustsFolderAtHand || sources.folderAtHand == nil ? [] : sources.all().filter(\.isAtHand)
    sources.trustsFolderAtHand = try files.isEmpty || isTrusted(files, in: sources)
    if !sources.trustsFolderAtHand { sources.folderAtHand = nil }
    return sources
  }

  /// Remembers that a person trusts the plugins of the current folder as they are.
  /// - Throws: `not_trusted` if that fails.
  package func trustPlugins() throws {
    guard let path = configuration.plugins.folderAtHand, !PluginFile.all(in: path).isEmpty else { return }
    guard let folder = PluginFolder(path) else {
      throw PluginsNotTrusted(message: "the plugins cannot be trusted: \(Self.unreadable) in \(path)")
    }
    let trusted = TrustedPlugins(stateFolder: Self.stateFolder)
    guard !trusted.contains(folder), let problem = trusted.add(folder) else { return }
    throw PluginsNotTrusted(message: "the trust in the plugins could not be saved: \(problem)")
  }

  private nonisolated static let unreadable = "there are too many files, or some that cannot be read,"

  private func isTrusted(_ files: [PluginFile], in sources: PluginSources) throws -> Bool {
    let folder = sources.folderAtHand.flatMap { PluginFolder($0) }
    let trusted = TrustedPlugins(stateFolder: Self.stateFolder)
    if let folder, trusted.contains(folder) { return true }
    if sources.isForList { return false }
    let isKnown = folder.map(trusted.knows) ?? false
    let named = changes(folder, trusted, sources) ?? files.map(\.shown)
    let names = named.prefix(Self.mostNamed).map(Access.shown)
    let others = named.count > names.count ? ["and \(named.count - names.count) more"] : []
    if configuration.mayAsk, PermissionPrompt.canAsk, let folder {
      let what = isKnown ? "plugins that have changed since they were trusted" : "plugins"
      let prompt = prompt
      let isTrusted = prompt.confirm(
        ["\(Access.shown(folder.path.displayable)) has \(what):"] + (names + others).map { prompt.clipped("  \($0)") }
          + ["  They run with every script in this folder, with the permissions of the script."],
        "Trust them, until they change?")
      try Task.checkCancellation()
      if isTrusted == true, let problem = trusted.add(folder) {
        console.log(.warn, "the trust in the plugins could not be saved: \(problem)")
      }
      return isTrusted ?? false
    }
    let reason =
      folder == nil
      ? "\(Self.unreadable) among them"
      : isKnown ? "they have changed since they were trusted" : "nobody has trusted them"
    console.log(
      .warn,
      "plugins are not used, because \(reason): \((names + others).joined(separator: ", ")); --trust-plugins uses them")
    return false
  }

  /// The new, changed and removed files since the last yes: `changed plugins/words.lua`.
  private func changes(_ folder: PluginFolder?, _ trusted: TrustedPlugins, _ sources: PluginSources) -> [String]? {
    guard let folder, let last = trusted.last(of: folder), let path = sources.folderAtHand else { return nil }
    return folder.changes(since: last).map { "\($0.what) \("\(path)/\($0.name)".displayable)" }
  }

  private nonisolated static var stateFolder: String? {
    UserFolder.state.path { getenv($0).map { String(cString: $0) } }
  }
}

/// The plugins could not be marked as trusted.
struct PluginsNotTrusted: Failure {
  let message: String
  var code: String { "not_trusted" }
  var hint: String? { nil }
}
