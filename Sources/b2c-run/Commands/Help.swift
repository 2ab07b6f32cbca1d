import Automation
import Core
import Documentation
import HostLoop
import Lua
import LuaBindings

/// `b2c-run help`: the command line, a command, or what a declaration says of a module, a function, a type or an option.
@HostActor
struct Help {
  private let text: String

  /// - Parameters:
  ///   - isCommand: whether the topic has been explained as a stock script, so that there need be no other.
  ///   - hasPlugins: whether there are plugins, whose commands nobody knows before they are run.
  /// - Throws: `UsageError` for a topic there is none of.
  init(topic: String?, isCommand: Bool, hasPlugins: Bool, _ host: ScriptHost) throws {
    let scripts = host.registry.commands
    let width = Self.width
    guard let topic else {
      text = Self.overview(scripts, hasPlugins, width)
      return
    }
    let reference = host.reference
    let command = Command.named(topic).map { Self.page($0, width) } ?? ""
    let isCommand = isCommand || !command.isEmpty
    if let entry = reference[topic] {
      text = command + (isCommand ? "\n" : "") + reference.page(entry, width: width)
    } else if isCommand {
      text = command
    } else {
      throw Self.noHelp(on: topic, scripts, hasPlugins, reference)
    }
  }

  func print() { StandardOutput.write(text) }

  /// Columns of the terminal, but no more than are easy to read.
  static var width: Int { min(Console(descriptor: 1).width, 100) }

  private static func noHelp(
    on topic: String, _ scripts: Catalog<ScriptCommand>, _ hasPlugins: Bool, _ reference: Reference
  ) -> UsageError {
    let commands = Command.all.map(\.name) + scripts.names
    let topics = commands + reference.modules.map(\.name).filter { !commands.contains($0) }
    let name = topic.hasPrefix("b2c.") ? String(topic.dropFirst(4)) : topic
    // What is inside of a topic is not meant by its beginning.
    let names = reference.names.filter { depth(of: $0) == depth(of: name) && !topics.contains($0) }
    let hint =
      didYouMean(name, among: topics + names) ?? reference.nearest(to: name).map { "did you mean '\($0)'?" }
      ?? "topics are \(topics.joined(separator: ", "))"
    return UsageError(
      "no help on '\(topic)'",
      hint: hasPlugins ? "\(hint); a plugin's command explains itself: b2c-run NAME --help" : hint)
  }

  private static func depth(of name: String) -> Int { name.count { $0 == "." || $0 == ":" } }

  /// Where descriptions begin.
  private static let column = 24

  private static func overview(
    _ scripts: Catalog<ScriptCommand>, _ hasPlugins: Bool, _ width: Int
  ) -> String {
    var page = PageText(width: width)
    page.add("b2c-run: Lua scripts for Azure AD B2C and any OpenID Connect provider")
    page.addBreak()
    let wide = 36
    page.add(
      "b2c-run [options] SCRIPT [args]", "run a Lua file, or a stock script by name; - is standard input", column: wide)
    page.add("b2c-run [options] -e CHUNK", "run one line", column: wide)
    page.add("b2c-run [options]", "take Lua line by line, on a terminal", column: wide)
    for command in Command.all { page.add("b2c-run \(command.usage)", command.summary, column: wide) }
    page.addBreak()
    page.add("commands that are scripts, to copy and change")
    for name in scripts.names { page.add(name, scripts[name]?.summary ?? "", column: column) }
    page.addBreak()
    if hasPlugins {
      page.add("Plugins may add more: b2c-run plugins lists them, and b2c-run NAME --help explains one.")
      page.addBreak()
    }
    page.add("options")
    add(Flag.common, to: &page)
    page.addBreak()
    page.add("exit status")
    page.add(
      "0 done; 1 the script failed; 2 wrong use; 3 settings; 4 a permission was missing; 5 rows of an import failed; "
        + "124 time or memory limit; 129, 130, 143 ended by SIGHUP, Ctrl-C, SIGTERM; "
        + "141 nobody reads standard output", indent: 2)
    page.addBreak()
    page.add("A first try without any account of your own: b2c-run --local examples/quickstart.lua")
    return page.text
  }

  private static func page(_ command: Command, _ width: Int) -> String {
    var page = PageText(width: width)
    page.add(command.summary)
    page.addBreak()
    page.add("b2c-run \(command.usage)", indent: 2)
    if !command.flags.isEmpty {
      page.addBreak()
      page.add("options, besides the common ones of b2c-run --help")
      add(command.flags, to: &page)
    }
    return page.text
  }

  private static func add(_ flags: [Flag], to page: inout PageText) {
    for flag in flags { page.add(flag.usage, flag.doc, column: column) }
  }
}
