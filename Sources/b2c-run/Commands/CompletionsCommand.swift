import Accounts
import Automation
import Core
import Documentation
import HostLoop
import Imports
import JobProcesses
import JobServer
import Jobs
import Lua
import LuaKit
import ScriptHost

extension Command {
  private enum Shell: String, CaseIterable { case bash, zsh, fish }

  static let completions = Command(
    "completions",
    "print a completion script for bash, zsh or fish",
    positions: [.init("SHELL", "bash, zsh or fish", choices: Shell.allCases.map(\.rawValue))],
    hiddenWords: Set(CompletedNames.allCases.map(\.rawValue))
  ) { invocation, console in
    let name = invocation.arguments[0]
    if let kind = CompletedNames(rawValue: name) {
      for name in await invocation.names(kind) where !name.contains("\n") { StandardOutput.write(data: "\(name)\n") }
      return .done
    }
    let words = try await invocation.words(console)
    switch Shell(rawValue: name) {
    case .bash?: StandardOutput.write(data: words.bash)
    case .zsh?: StandardOutput.write(data: words.zsh)
    default: StandardOutput.write(data: words.fish)
    }
    return .done
  }
}

extension Invocation {
  /// None where they cannot be known: nobody is asked, no token is opened, and no untrusted plugin runs.
  @HostActor
  fileprivate func names(_ kind: CompletedNames) async -> [String] {
    let silent = Console(level: .error, isQuiet: true) { _ in }
    var configuration = configuration
    configuration.mayAsk = false
    if kind == .commands { configuration.plugins.isForList = true } else { configuration.plugins = PluginSources() }
    guard let host = try? ScriptHost(configuration, console: silent) else { return [] }
    defer { host.close() }
    switch kind {
    case .jobs: return namesOfJobs
    case .runs: return await numbersOfRuns()
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

  private var namesOfJobs: [String] {
    guard let folder = try? JobsPlace(jobs).folder else { return [] }
    return (try? JobFolder.names(in: folder)) ?? []
  }

  @HostActor
  private func numbersOfRuns() async -> [String] {
    guard let place = try? JobsPlace(jobs), place.state.hasDatabase, let store = try? place.state.open(mustExist: true)
    else { return [] }
    return ((try? await store.runs(JobStore.Filter())) ?? []).map { String($0.id) }
  }

  @HostActor
  fileprivate func words(_ console: Console) async throws -> CommandLineWords {
    let scripts = try await declaredScripts(console)
    let host = try ScriptHost(configuration, console: console)
    defer { host.close() }
    // A shell takes a colon for the end of a word; a dot means the same.
    let topics =
      Command.all.map(\.name) + [Command.allTopics] + scripts.map(\.command) + Concept.all.map(\.name)
      + host.reference.topics.map { $0.replacing(":", with: ".") }
    return CommandLineWords(scripts, topics: topics)
  }

  /// Without plugins: a shell reads completions when it starts, which is no time to run code of plugins.
  @HostActor
  func declaredScripts(_ console: Console) async throws -> [CommandDeclaration] {
    var configuration = configuration
    configuration.plugins = PluginSources()
    var declarations: [CommandDeclaration] = []
    for script in StockScript.all(in: configuration.session.scriptsFolder) {
      let host = try ScriptHost(configuration, console: console)
      defer { host.close() }
      let declared = try await host.declaration(of: script, read(script.path))
      declarations.append(declared ?? CommandDeclaration(script.name, script.summary))
    }
    return declarations
  }
}
