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
