import Lua
import LuaBindings

extension Command {
  static let help = Command(
    "help", .optional("TOPIC"), "explain a command (help sign-in), a module (help tasks) or a function (help tasks.add)"
  ) { invocation, console in
    let topic = invocation.arguments.first
    return try await invocation.withHost(console) { host in
      try await host.makeReady()
      let command = topic.flatMap { host.registry.commands[$0] }
      switch command {
      case .stock(let script)?: _ = try await invocation.runScript(at: script.path, ["--help"], console)
      case .plugin(let command)?: StandardOutput.write(command.help)
      case nil: break
      }
      // `accounts` is both a command and a module.
      try Help(topic: topic, isCommand: command != nil, host).print()
    }
  }
}
