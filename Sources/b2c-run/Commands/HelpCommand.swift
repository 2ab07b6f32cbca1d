import LuaBindings

extension Command {
  static let help = Command(
    "help", .optional("TOPIC"), "explain a command (help sign-in), a module (help tasks) or a function (help tasks.add)"
  ) { invocation, console in
    let topic = invocation.arguments.first
    let configuration = invocation.configuration
    let script = topic.flatMap { StockScript.find($0, in: configuration.scriptsFolder) }
    if let script { _ = try await invocation.runScript(at: script.path, ["--help"], console) }
    // `accounts` is both a command and a module.
    try Help(topic: topic, isCommand: script != nil, console: console, configuration).print()
    return .done
  }
}
