import Lua
import LuaBindings

extension Command {
  static let plugins = Command(
    "plugins", .none, "list the plugins: what each adds, and what it needs", flags: Flag.plugins
  ) { invocation, console in
    var invocation = invocation
    // The list says it.
    invocation.configuration.plugins.reportsProblems = false
    let isJSON = invocation.isJSON
    var hasFailed = false
    _ = try await invocation.withHost(console) { host in
      try await host.makeReady()
      let plugins = host.registry.plugins
      hasFailed = plugins.contains { $0.problem != nil }
      let list = PluginList(plugins, host.permissions)
      if !isJSON, plugins.isEmpty {
        console.log(
          .info, "there are no plugins: they would be in \(PluginSources.usualFolders().joined(separator: " or "))")
      }
      StandardOutput.write(isJSON ? list.json : list.text)
    }
    return hasFailed ? .failed : .done
  }
}

extension Flag {
  fileprivate static let plugins: [Flag] = [
    Flag("--json", "print all there is, for programs") { invocation in invocation.isJSON = true }
  ]
}
