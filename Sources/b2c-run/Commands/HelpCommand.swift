import Automation
import Core
import Documentation
import Files
import Glibc
import HostLoop
import Lua
import LuaKit
import Permissions
import ScriptHost

extension Command {
  /// The commands of daily use, which `b2c-run --help` lists. `b2c-run help all` lists the others, too.
  static let daily = ["sign-in", "accounts", "tasks", "import", "export", "new", "test", "serve", "doctor"]
  /// The topic of `help` that lists everything.
  static let allTopics = "all"

  static let help = Command(
    "help",
    "explain a command (help sign-in), a concept (help permissions), a module (help tasks), a function (help tasks.add) or a "
      + "script (help FILE); help all lists all commands, concepts and options",
    positions: [.init("[TOPIC]", "the name of a command, a concept, a module, a function or a type, a file, or all")]
  ) { invocation, console in
    let topic = invocation.arguments.first
    if let topic, Command.named(topic) == nil, topic.contains(where: { $0 == "." || $0 == "/" }),
      FileSystem.kind(of: topic) == S_IFREG
    {
      let header = ScriptHeader(try invocation.read(topic))
      StandardOutput.write(header.help(onScript: topic, width: Console.helpWidth))
      return .done
    }
    if let topic, topic.hasSuffix(".lua") { _ = try invocation.path(ofScript: topic) }
    // Help runs nothing but the stock script that explains itself.
    let hasPlugins = !invocation.configuration.plugins.all().isEmpty
    var invocation = invocation
    invocation.configuration.plugins = PluginSources()
    invocation.configuration.session.settings.file = nil
    return try await invocation.withHost(console) { [invocation] host in
      let command = topic.flatMap { host.registry.commands[$0] }
      if case .stock(let script)? = command {
        try await host.run(invocation.read(script.path), path: script.path, arguments: ["--help"])
      }
      let help = try Help(topic: topic, isCommand: command != nil, hasPlugins: hasPlugins, host)
      StandardOutput.write(help.text)
    }
  }
}

/// `b2c-run help`: the command line, a command, a concept, or the declaration of a module, a function, a type or an option.
@HostActor
private struct Help {
  let text: String

  /// - Parameter isCommand: whether a stock script has explained the topic, so that nothing else has to.
  /// - Parameter hasPlugins: whether there are plugins, whose commands nobody knows before they are run.
  /// - Throws: `UsageError` for an unknown topic.
  init(topic: String?, isCommand: Bool, hasPlugins: Bool, _ host: ScriptHost) throws {
    let scripts = host.registry.commands
    let width = Console.helpWidth
    guard let topic, topic != Command.allTopics else {
      text = topic == nil ? Self.overview(scripts, width) : Self.everything(scripts, hasPlugins, width)
      return
    }
    let reference = host.reference
    // A name may be that of a command, a concept and a module: `accounts`.
    let pages = [
      Command.named(topic).map { $0.declaration.help(width: width) },
      Concept.all.first { $0.name == topic }.map { $0.page(width: width) },
      reference[topic].map { reference.page($0, width: width) },
    ].compactMap(\.self)
    guard isCommand || !pages.isEmpty else { throw Self.noHelp(on: topic, scripts, hasPlugins, reference) }
    text = ((isCommand ? [""] : []) + pages).joined(separator: "\n")
  }

  private static func noHelp(
    on topic: String, _ scripts: Catalog<ScriptCommand>, _ hasPlugins: Bool, _ reference: Reference
  ) -> UsageError {
    var topics = Command.all.map(\.name) + [Command.allTopics] + scripts.names
    for name in Concept.all.map(\.name) + reference.modules.map(\.name) where !topics.contains(name) {
      topics.append(name)
    }
    let name = topic.hasPrefix("b2c.") ? String(topic.dropFirst(4)) : topic
    // The beginning of a topic does not stand for the names inside of it.
    let names = reference.names.filter { depth(of: $0) == depth(of: name) && !topics.contains($0) }
    let hint =
      Synonyms.topic(name, among: topics) ?? didYouMean(name, among: topics + names) ?? reference.nearest(to: name).map
    { "did you mean '\($0)'?" }
      ?? "topics are \(topics.joined(separator: ", "))"
    return UsageError(
      "no help on '\(topic)'",
      hint: hasPlugins ? "\(hint); a plugin's command explains itself: b2c-run NAME --help" : hint)
  }

  private static func depth(of name: String) -> Int { name.count { $0 == "." || $0 == ":" } }

  private static let column = 24

  private static let wide = 36

  /// The first lines of both overviews: the ways to run a script.
  private static func beginning(_ width: Int) -> PageText {
    var page = PageText(width: width)
    page.add("b2c-run: Lua scripts for Azure AD B2C and any OpenID Connect provider")
    page.addBreak()
    page.add(
      "b2c-run [options] SCRIPT [args]", "run a Lua file or a stock script; - is standard input", column: wide)
    page.add("b2c-run [options] -e CHUNK", "run one line of Lua", column: wide)
    page.add("b2c-run [options]", "start an interactive session on a terminal", column: wide)
    return page
  }

  /// The commands and options of daily use.
  private static func overview(_ scripts: Catalog<ScriptCommand>, _ width: Int) -> String {
    var page = beginning(width)
    page.addApart("commands of daily use")
    for name in Command.daily {
      let summary = Command.named(name)?.declaration.summary ?? scripts[name]?.summary ?? ""
      page.add(name, sentence(summary), column: 12)
    }
    page.addApart("options of daily use")
    let names = ["settings", "local", "account", "trace", "help"]
    for flag in Flag.common where names.contains(flag.option.name) {
      page.add(flag.option.spelling, flag.option.doc, column: column)
    }
    page.addApart("more help")
    page.add("b2c-run help NAME", "explains a command, a concept, a module or a function", column: column)
    page.add("b2c-run help all", "lists all commands, concepts, options and exit statuses", column: column)
    page.addApart("A first try, without an account at a provider")
    page.add(code: "b2c-run --local \(ProgramFolder.examples)/quickstart.lua", indent: 2)
    return page.text
  }

  /// The summary in the form of those of scripts: with a capital letter and a full stop.
  private static func sentence(_ summary: String) -> String {
    summary.prefix(1).uppercased() + summary.dropFirst() + (summary.hasSuffix(".") ? "" : ".")
  }

  /// All commands, concepts, options and exit statuses.
  private static func everything(_ scripts: Catalog<ScriptCommand>, _ hasPlugins: Bool, _ width: Int) -> String {
    var page = beginning(width)
    for command in Command.all {
      page.add(command.declaration.usageLines[0], command.declaration.summary, column: wide)
    }
    page.addApart("commands that are Lua scripts, which you can copy and change")
    for name in scripts.names { page.add(name, scripts[name]?.summary ?? "", column: column) }
    page.addBreak()
    if hasPlugins {
      page.add(
        "Plugins may add commands: b2c-run plugins lists the plugins, and b2c-run NAME --help explains a command.")
      page.addBreak()
    }
    page.add("concepts (b2c-run help NAME explains a concept)")
    page.add(Concept.all.map(\.name).joined(separator: ", "), indent: 2)
    page.addApart("options")
    for flag in Flag.common { page.add(flag.option.spelling, flag.option.doc, column: column) }
    page.addApart("exit status")
    page.add(ExitStatus.meanings.map { "\($0.codes) \($0.meaning)" }.joined(separator: "; "), indent: 2)
    return page.text
  }
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
