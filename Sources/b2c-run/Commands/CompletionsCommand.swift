import Automation
import Core
import Documentation
import HostLoop
import Lua
import LuaBindings

extension Command {
  private enum Shell: String, CaseIterable { case bash, zsh, fish }

  static let completions = Command(
    "completions", .one("SHELL"),
    "print what lets a shell complete the command line: for bash, zsh or fish; or the names of accounts, imports or commands "
      + "that there are now",
    forms: Shell.allCases.map(\.rawValue) + CompletedNames.allCases.map(\.rawValue)
  ) { invocation, console in
    let name = invocation.arguments.first ?? ""
    if let kind = CompletedNames(rawValue: name) {
      for name in await invocation.names(kind) where !name.contains("\n") { StandardOutput.write("\(name)\n") }
      return .done
    }
    guard let shell = Shell(rawValue: name) else {
      let known = Shell.allCases.map(\.rawValue)
      throw UsageError(
        "completions: expected one of \(known.joined(separator: ", ")), got '\(name)'",
        hint: didYouMean(name, among: known))
    }
    let words = try await invocation.words(console)
    let text =
      switch shell {
      case .bash: words.bash
      case .zsh: words.zsh
      case .fish: words.fish
      }
    StandardOutput.write(text)
    return .done
  }
}

extension Invocation {
  /// What there is of that kind; nothing where that cannot be known. Nobody is asked, no token is opened, and no plugin is run
  /// that is not trusted.
  @HostActor
  fileprivate func names(_ kind: CompletedNames) async -> [String] {
    let silent = Console(level: .error, isQuiet: true) { _ in }
    var configuration = configuration
    configuration.mayAsk = false
    if kind == .commands { configuration.plugins.isForList = true } else { configuration.plugins = PluginSources() }
    guard let host = try? ScriptHost(configuration, console: silent) else { return [] }
    defer { host.close() }
    switch kind {
    case .accounts: return host.namesOfAccounts
    case .imports: return host.namesOfImports
    case .commands:
      guard (try? await host.makeReady()) != nil else { return [] }
      return host.registry.commands.names.filter { name in
        if case .plugin? = host.registry.commands[name] { true } else { false }
      }
    }
  }

  /// Plugins are left out: what a shell reads at its start is to run no code of theirs.
  @HostActor
  fileprivate func words(_ console: Console) async throws -> CommandLineWords {
    var configuration = configuration
    configuration.plugins = PluginSources()
    let host = try ScriptHost(configuration, console: console)
    defer { host.close() }
    var scripts: [(name: String, summary: String, options: ScriptOptions?)] = []
    for name in host.registry.commands.names {
      guard case .stock(let script)? = host.registry.commands[name] else { continue }
      scripts.append((name, script.summary, try await declaration(of: script, configuration, console)))
    }
    // A shell takes a colon for the end of a word; a dot means the same.
    let topics =
      Command.all.map(\.name) + scripts.map(\.name) + host.reference.topics.map { $0.replacing(":", with: ".") }
    return CommandLineWords(scripts: scripts, topics: topics)
  }

  /// What a stock script says of its own command line.
  @HostActor
  private func declaration(
    of script: StockScript, _ configuration: ScriptHost.Configuration, _ console: Console
  ) async throws -> ScriptOptions? {
    let host = try ScriptHost(configuration, console: console)
    defer { host.close() }
    return try await host.declaredOptions(of: read(script.path), path: script.path)
  }
}
