import Core

/// The text of `b2c-run help` without a topic: the commands and options of daily use, or all of them.
package struct HelpOverview {
  /// The topic of `help` that lists everything.
  package static let allTopics = "all"

  private static let column = 24
  private static let wide = 36

  private let commands: CommandList
  /// The commands that are scripts.
  private let scripts: [(name: String, summary: String)]
  private let width: Int

  package init(_ commands: CommandList, scripts: [(name: String, summary: String)], width: Int) {
    self.commands = commands
    self.scripts = scripts
    self.width = width
  }

  /// The first lines of both overviews: the ways to run a script.
  private var beginning: PageText {
    var page = PageText(width: width)
    page.add("b2c-run: Lua scripts for Azure AD B2C and any OpenID Connect provider")
    page.addBreak()
    page.add(
      "b2c-run [options] SCRIPT [args]", "run a Lua file or a stock script; - is standard input", column: Self.wide)
    page.add("b2c-run [options] -e CHUNK", "run one line of Lua", column: Self.wide)
    page.add("b2c-run [options]", "start an interactive session on a terminal", column: Self.wide)
    return page
  }

  /// The commands and options of daily use.
  package var daily: String {
    var page = beginning
    page.addApart("commands of daily use")
    for name in CommandList.daily {
      let summary = commands.named(name)?.form.summary ?? scripts.first { $0.name == name }?.summary ?? ""
      page.add(name, Self.sentence(summary), column: 12)
    }
    page.addApart("options of daily use")
    let names = ["settings", "local", "account", "trace", "help"]
    for flag in RunOptions.flags where names.contains(flag.option.name) {
      page.add(flag.option.spelling, flag.option.doc, column: Self.column)
    }
    page.addApart("more help")
    page.add("b2c-run help NAME", "explains a command, a concept, a module or a function", column: Self.column)
    page.add("b2c-run help all", "lists all commands, concepts, options and exit statuses", column: Self.column)
    page.addApart("A first try, without an account at a provider")
    page.add(code: "b2c-run --local \(ProgramFolder.examples)/quickstart.lua", indent: 2)
    return page.text
  }

  /// The summary in the form of those of scripts: with a capital letter and a full stop.
  private static func sentence(_ summary: String) -> String {
    summary.prefix(1).uppercased() + summary.dropFirst() + (summary.hasSuffix(".") ? "" : ".")
  }

  /// All commands, concepts, options and exit statuses.
  /// - Parameter hasPlugins: whether there are plugins, whose commands nobody knows before they are run.
  package func everything(hasPlugins: Bool) -> String {
    var page = beginning
    for declaration in commands.declarations {
      page.add(declaration.usageLines[0], declaration.summary, column: Self.wide)
    }
    page.addApart("commands that are Lua scripts, which you can copy and change")
    for script in scripts { page.add(script.name, script.summary, column: Self.column) }
    page.addBreak()
    if hasPlugins {
      page.add(
        "Plugins may add commands: b2c-run plugins lists the plugins, and b2c-run NAME --help explains a command.")
      page.addBreak()
    }
    page.add("concepts (b2c-run help NAME explains a concept)")
    page.add(Concept.all.map(\.name).joined(separator: ", "), indent: 2)
    page.addApart("options")
    for flag in RunOptions.flags { page.add(flag.option.spelling, flag.option.doc, column: Self.column) }
    page.addApart("exit status")
    page.add(ExitStatus.meanings.map { "\($0.codes) \($0.meaning)" }.joined(separator: "; "), indent: 2)
    return page.text
  }
}
