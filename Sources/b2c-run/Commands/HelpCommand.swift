import Automation
import Files
import Glibc
import Lua
import LuaBindings

extension Command {
  static let help = Command(
    "help",
    "explain a command (help sign-in), a concept (help permissions), a module (help tasks), a function (help tasks.add) or a "
      + "script (help FILE)",
    positions: [.init("[TOPIC]", "the name of a command, a concept, a module, a function or a type, or a file")]
  ) { invocation, console in
    let topic = invocation.arguments.first
    if let topic, Command.named(topic) == nil, topic.contains(where: { $0 == "." || $0 == "/" }),
      FileSystem.kind(of: topic) == S_IFREG
    {
      let page = ScriptHelp(path: topic, source: try invocation.read(topic)).page(width: Console.helpWidth)
      StandardOutput.write(page)
      return .done
    }
    if let topic, topic.hasSuffix(".lua") { _ = try invocation.path(ofScript: topic) }
    // Help runs nothing but the stock script that explains itself.
    let hasPlugins = !invocation.configuration.plugins.all().isEmpty
    var invocation = invocation
    invocation.configuration.plugins = PluginSources()
    return try await invocation.withHost(console) { [invocation] host in
      let command = topic.flatMap { host.registry.commands[$0] }
      if case .stock(let script)? = command {
        try await host.run(invocation.read(script.path), path: script.path, arguments: ["--help"])
      }
      try Help(topic: topic, isCommand: command != nil, hasPlugins: hasPlugins, host).print()
    }
  }
}
