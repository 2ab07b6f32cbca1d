import Automation
import HostLoop
import Lua
import LuaKit

struct LogModule: LuaModule {
  let console: Console

  var module: HostModule {
    HostModule(
      "log", "Log lines on standard error. Known secrets are replaced.",
      notes: """
        `--log-level` sets the lowest level that is shown. `--quiet` hides the levels below `warn`.
        """, functions)
  }

  static let functions: [ModuleFunction<Self>] = Console.Level.allCases.map { level in
    function(
      "log.\(level.rawValue)", "Writes a log line of level \(level.rawValue).",
      Parameter("message", .any, "The message, converted by tostring."),
      .optional("fields", .map(of: .any), "Names and values to add.")
    ) { module, arguments in
      let fields = try (arguments[1].table?.pairs ?? [])
        .map { (name: arguments.state.text(of: $0.key), value: arguments.state.text(of: $0.value)) }
        .sorted { $0.name < $1.name }
      module.console.log(level, arguments.state.text(of: arguments[0]), fields: fields)
      return []
    }
  }
}
