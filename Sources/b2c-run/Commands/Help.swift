import HostLoop
import Lua
import LuaBindings

/// `b2c-run help`: the command line, or what a declaration says of a module or function.
@HostActor
struct Help {
  private let text: String

  /// - Parameter isCommand: whether the topic has been explained as a command, so that there need be no other.
  /// - Throws: `UsageError` for a topic there is none of.
  init(topic: String?, isCommand: Bool, console: Console, _ configuration: ScriptHost.Configuration) throws {
    let commands = StockScript.all(in: configuration.scriptsFolder)
    guard let topic else {
      text = Self.overview(commands)
      return
    }
    let host = try ScriptHost(configuration, console: console)
    let modules = host.modules
    let name = topic.hasPrefix("b2c.") ? String(topic.dropFirst(4)) : topic
    let command = Command.named(topic).map(Self.page) ?? ""
    let isCommand = isCommand || !command.isEmpty
    if let module = modules.first(where: { $0.name == name }) {
      text = command + (isCommand ? "\n" : "") + Self.page(module, host.functions(of: module))
    } else if let function = modules.lazy.flatMap(host.functions).first(where: { $0.name == name }) {
      text = Self.page(function)
    } else if let type = ScriptHost.types.first(where: { $0.name == name }) {
      text = Self.page(type)
    } else if let method = ScriptHost.types.lazy.flatMap(\.methods).first(where: { $0.name == name }) {
      text = Self.page(method)
    } else if isCommand {
      text = command
    } else {
      let topics =
        Command.all.map(\.name) + commands.map(\.name)
        + modules.map(\.name).filter { name in !commands.contains { $0.name == name } }
        + ScriptHost.types.map(\.name).filter { $0 != "settings" }
      throw UsageError("no help on '\(topic)'", hint: "topics are \(topics.joined(separator: ", "))")
    }
  }

  func print() { StandardOutput.write(text) }

  private static func overview(_ commands: [StockScript]) -> String {
    """
    b2c-run: Lua scripts for Azure AD B2C and any OpenID Connect provider

      b2c-run [options] SCRIPT [args]   run a Lua file, or a stock script by name; - is standard input
      b2c-run [options] -e CHUNK        run one line
    \(Command.all.map { "  b2c-run \($0.usage)\(padding($0.usage, 26))\($0.summary)\n" }.joined())
    commands that are scripts, to copy and change
    \(commands.map { "  \($0.name)\(padding($0.name, 22))\($0.summary)\n" }.joined())
    options
    \(list(Flag.common))
    exit status
      0 done; 1 the script failed; 2 wrong use; 3 settings; 5 rows of an import failed; 124 time or memory limit;
      130 interrupted; 141 nobody reads standard output

    A first try without any account of your own: b2c-run --local examples/quickstart.lua

    """
  }

  private static func page(_ command: Command) -> String {
    let options =
      command.flags.isEmpty ? "" : "\noptions, besides the common ones of b2c-run --help\n\(list(command.flags))"
    return "\(command.summary)\n\n  b2c-run \(command.usage)\n\(options)"
  }

  private static func list(_ flags: [Flag]) -> String {
    flags.map { "  \($0.usage)\(padding($0.usage, 22))\($0.doc)\n" }.joined()
  }

  private static func page(_ module: HostModule, _ functions: [HostFunction]) -> String {
    let functions = functions.map { "  \($0.signature)\n      \($0.doc)\n" }.joined()
    return "b2c.\(module.name): \(module.doc)\n\n\(functions)\nb2c-run help \(module.name).NAME tells more.\n"
  }

  private static func page(_ type: HostType) -> String {
    let properties = type.properties.map { "  .\($0.name)\(padding($0.name, 14))\($0.type.phrase). \($0.doc)\n" }
    let methods = type.methods.map { "  \($0.signature)\n      \($0.doc)\n" }
    let parts = [properties.joined(), methods.joined()].filter { !$0.isEmpty }
    return "\(type.name): \(type.doc)\n\n" + parts.joined(separator: "\n")
  }

  private static func page(_ function: HostFunction) -> String {
    var lines = ["\(function.signature)", "", "  \(function.doc)"]
    for parameter in function.parameters where parameter.name != "self" {
      lines += ["", "  \(parameter.name): \(parameter.type.phrase)\(parameter.isOptional ? ", optional" : "")"]
      if !parameter.doc.isEmpty { lines.append("      \(parameter.doc)") }
      for key in parameter.type.optionKeys ?? [] {
        lines.append("      \(key.name)\(padding(key.name, 14))\(key.type.phrase). \(key.doc)")
      }
    }
    for result in function.results { lines += ["", "  returns \(result.type.phrase). \(result.doc)"] }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func padding(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count))
  }
}
