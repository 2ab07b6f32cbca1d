import Automation
import Glibc
import Lua
import LuaBindings

extension Command {
  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  static let help = Command(
    "help", .optional("TOPIC"),
    "explain a command (help sign-in), a module (help tasks), a function (help tasks.add) or a script (help FILE)"
  ) { invocation, console in
    let topic = invocation.arguments.first
    if let topic, Command.named(topic) == nil, topic.contains(where: { $0 == "." || $0 == "/" }), isFile(topic) {
      let page = ScriptHelp(path: topic, source: try invocation.read(topic)).page(width: Help.width)
      StandardOutput.write(page)
      return .done
    }
    if let topic, topic.hasSuffix(".lua") { _ = try invocation.path(ofScript: topic) }
    // Who asks for help has nothing run but the stock script that explains itself.
    let hasPlugins = !invocation.configuration.plugins.all().isEmpty
    var invocation = invocation
    invocation.configuration.plugins = PluginSources()
    return try await invocation.withHost(console) { [invocation] host in
      let command = topic.flatMap { host.registry.commands[$0] }
      if case .stock(let script)? = command {
        _ = try await invocation.runScript(at: script.path, ["--help"], console)
      }
      // `accounts` is both a command and a module.
      try Help(topic: topic, isCommand: command != nil, hasPlugins: hasPlugins, host).print()
    }
  }
}
