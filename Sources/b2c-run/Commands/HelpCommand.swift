import Automation
import CommandLine
import Core
import Documentation
import Files
import Glibc
import HostLoop
import Lua
import LuaKit
import Permissions
import ScriptHost
import Terminal

/// `b2c-run help`
struct HelpCommand: Command {
  static let form = CommandForm(
    "help",
    "explain a command (help sign-in), a concept (help permissions), a module (help tasks), a function (help tasks.add) or a "
      + "script (help FILE); help all lists all commands, concepts and options",
    positions: [.init("[TOPIC]", "the name of a command, a concept, a module, a function or a type, a file, or all")])

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let topic = words.first
    if let topic, Main.commands.named(topic) == nil, topic.contains(where: { $0 == "." || $0 == "/" }),
      FileSystem.kind(of: topic) == S_IFREG
    {
      let header = ScriptHeader(try ScriptFile.read(topic))
      StandardOutput.write(header.help(onScript: topic, width: Console.helpWidth))
      return .done
    }
    if let topic, topic.hasSuffix(".lua") { _ = try ScriptFile.path(of: topic) }
    // Help runs nothing but the stock script that explains itself.
    let hasPlugins = !run.configuration.plugins.all().isEmpty
    var run = run
    run.configuration.plugins = PluginSources()
    run.session.settings.file = nil
    return try await run.withHost(console) { host in
      let help = Help(host, hasPlugins: hasPlugins, width: Console.helpWidth)
      let topic = topic.map(help.known)
      let command = topic.flatMap { host.registry.commands[$0] }
      if case .stock(let script)? = command {
        try await host.run(ScriptFile.read(script.path), path: script.path, arguments: ["--help"])
      }
      StandardOutput.write(try help.text(on: topic, isCommand: command != nil))
    }
  }
}

/// The topics of `b2c-run help`: the command line, commands, concepts, and the declarations of modules, functions, types and
/// options.
@HostActor
private struct Help {
  private let scripts: Catalog<ScriptCommand>
  private let reference: Reference
  private let hasPlugins: Bool
  private let width: Int

  /// - Parameter hasPlugins: whether there are plugins, whose commands nobody knows before they are run.
  init(_ host: ScriptHost, hasPlugins: Bool, width: Int) {
    scripts = host.registry.commands
    reference = host.reference
    self.hasPlugins = hasPlugins
    self.width = width
  }

  /// The topic, or the one that is called so in the plural or the singular: `webhooks` for `webhook`.
  func known(_ topic: String) -> String {
    reference[topic] == nil ? Synonyms.otherNumber(of: topic, among: topics) ?? topic : topic
  }

  /// - Parameter isCommand: whether a stock script has explained the topic, so that nothing else has to.
  /// - Throws: `UsageError` for an unknown topic.
  func text(on topic: String?, isCommand: Bool) throws(UsageError) -> String {
    guard let topic, topic != HelpOverview.allTopics else {
      let overview = HelpOverview(
        Main.commands, scripts: scripts.names.map { ($0, scripts[$0]?.summary ?? "") }, width: width)
      return topic == nil ? overview.daily : overview.everything(hasPlugins: hasPlugins)
    }
    // A name may be that of a command, a concept and a module: `accounts`.
    let pages = [
      Main.commands.named(topic).map { $0.declaration.help(width: width) },
      Concept.all.first { $0.name == topic }.map { $0.page(width: width) },
      reference[topic].map { reference.page($0, width: width) },
    ].compactMap(\.self)
    guard isCommand || !pages.isEmpty else { throw noHelp(on: topic) }
    return ((isCommand ? [""] : []) + pages).joined(separator: "\n")
  }

  private var topics: [String] {
    var topics = Main.commands.names + [HelpOverview.allTopics] + scripts.names
    for name in Concept.all.map(\.name) + reference.modules.map(\.name) where !topics.contains(name) {
      topics.append(name)
    }
    return topics
  }

  private func noHelp(on topic: String) -> UsageError {
    let topics = topics
    let name = topic.hasPrefix("b2c.") ? String(topic.dropFirst(4)) : topic
    // The beginning of a topic does not stand for the names inside of it.
    let names = reference.names.filter { Self.depth(of: $0) == Self.depth(of: name) && !topics.contains($0) }
    let hint =
      Synonyms.topic(name, among: topics) ?? didYouMean(name, among: topics + names) ?? reference.nearest(to: name).map
    { "did you mean '\($0)'?" }
      ?? "topics are \(topics.joined(separator: ", "))"
    return UsageError(
      "no help on '\(topic)'",
      hint: hasPlugins ? "\(hint); a plugin's command explains itself: b2c-run NAME --help" : hint)
  }

  private static func depth(of name: String) -> Int { name.count { $0 == "." || $0 == ":" } }
}

extension ScriptHeader {
  /// `b2c-run help SCRIPT`: what a Lua file says of itself, without running it.
  fileprivate func help(onScript path: String, width: Int) -> String {
    var page = PageText(width: width)
    page.add(code: text.isEmpty ? "\(path) has no description" : shown.joined(separator: "\n"), indent: 0)
    page.addApart(needs.isEmpty ? "The script asks for no permission." : "The script asks for these permissions")
    for need in needs { page.add(need.shownFlags.joined(separator: " "), need.shownReason, column: 34) }
    page.addBreak()
    if !mistakes.isEmpty {
      page.add("mistakes in this list")
      for mistake in mistakes {
        let text = mistake.message + (mistake.hint.map { "; \($0)" } ?? "")
        page.add("line \(mistake.line)", text, column: 12)
      }
      page.addBreak()
    }
    page.add(flags.isEmpty ? "Run the script" : "Run the script with these permissions, or with fewer")
    page.add(code: "b2c-run \((flags + [path]).map(ShellWord.quoted).joined(separator: " "))")
    return page.text
  }
}
