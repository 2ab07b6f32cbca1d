import Automation
import Lua
import LuaBindings

extension Command {
  static let plugins = Command(
    "plugins", "list the plugins, their parts and the permissions that they need",
    flags: [
      Flag("--json", "print all data as JSON, for programs", \.isJSON),
      Flag(
        "--trust", "trust the plugins in ./plugins until they change", \.trustsPlugins),
    ]
  ) { invocation, console in
    var invocation = invocation
    invocation.configuration.plugins.isForList = true
    let isJSON = invocation.isJSON
    var hasFailed = false
    let trusts = invocation.trustsPlugins
    _ = try await invocation.withHost(console) { host in
      if trusts { try host.automation.trustPlugins() }
      try await host.makeReady()
      let plugins = host.registry.plugins
      hasFailed = plugins.contains { $0.problem != nil }
      let list = PluginList(plugins, host.permissions)
      if !isJSON, plugins.isEmpty {
        console.log(
          .info, "there are no plugins: they would be in \(PluginSources.usual().allFolders.joined(separator: " or "))")
      }
      StandardOutput.write(isJSON ? list.json : list.text)
    }
    return hasFailed ? .failed : .done
  }
}
