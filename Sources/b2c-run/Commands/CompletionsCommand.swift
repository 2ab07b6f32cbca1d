import Accounts
import Automation
import CommandLine
import Commands
import Core
import Documentation
import HostLoop
import Imports
import Lua
import LuaKit
import ScriptHost
import Terminal

/// `b2c-run completions`
struct CompletionsCommand: Command {
  private enum Shell: String, CaseIterable { case bash, zsh, fish }

  static let form = CommandForm(
    "completions", "print a completion script for bash, zsh or fish",
    positions: [.init("SHELL", "bash, zsh or fish", choices: Shell.allCases.map(\.rawValue))],
    hiddenWords: Set(CompletedNames.allCases.map(\.rawValue)))

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let name = words[0]
    if let kind = CompletedNames(rawValue: name) {
      for name in await names(kind, run) where !name.contains("\n") { StandardOutput.write(data: "\(name)\n") }
      return .done
    }
    let words = try await allWords(run, console)
    switch Shell(rawValue: name) {
    case .bash?: StandardOutput.write(data: words.bash)
    case .zsh?: StandardOutput.write(data: words.zsh)
    default: StandardOutput.write(data: words.fish)
    }
    return .done
  }

  /// None where they cannot be known: nobody is asked, no token is opened, and no untrusted plugin runs.
  @HostActor
  private func names(_ kind: CompletedNames, _ run: RunOptions) async -> [String] {
    let silent = Console(level: .error, isQuiet: true) { _ in }
    var configuration = run.configuration
    configuration.mayAsk = false
    if kind == .commands { configuration.plugins.isForList = true } else { configuration.plugins = PluginSources() }
    guard let host = try? ScriptHost(configuration, console: silent) else { return [] }
    defer { host.close() }
    switch kind {
    case .jobs: return JobNames.jobs
    case .runs: return await JobNames.runs()
    case .secrets: return ((try? await KeptSecrets(configuration.session, silent).store().secrets()) ?? []).map(\.name)
    case .accounts: return await host.session.accounts.namesToComplete()
    case .imports: return host.imports.names
    case .commands:
      guard (try? await host.makeReady()) != nil else { return [] }
      return host.registry.commands.names.filter { name in
        if case .plugin? = host.registry.commands[name] { true } else { false }
      }
    }
  }

  @HostActor
  private func allWords(_ run: RunOptions, _ console: Console) async throws -> CommandLineWords {
    let scripts = try await run.declaredScripts(console)
    let host = try ScriptHost(run.configuration, console: console)
    defer { host.close() }
    // A shell takes a colon for the end of a word; a dot means the same.
    let topics =
      Main.commands.names + [HelpOverview.allTopics] + scripts.map(\.command) + Concept.all.map(\.name)
      + host.reference.topics.map { $0.replacing(":", with: ".") }
    return CommandLineWords(Main.commands, scripts, topics: topics)
  }
}

extension RunOptions {
  /// Without plugins: a shell reads completions when it starts, which is no time to run code of plugins.
  @HostActor
  func declaredScripts(_ console: Console) async throws -> [CommandDeclaration] {
    var configuration = configuration
    configuration.plugins = PluginSources()
    var declarations: [CommandDeclaration] = []
    for script in StockScript.all(in: configuration.session.scriptsFolder) {
      let host = try ScriptHost(configuration, console: console)
      defer { host.close() }
      let declared = try await host.declaration(of: script, ScriptFile.read(script.path))
      declarations.append(declared ?? CommandDeclaration(script.name, script.summary))
    }
    return declarations
  }
}
