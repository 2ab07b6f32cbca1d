import Automation
import CommandLine
import Core
import HostLoop
import JSON
import Lua
import LuaKit
import Permissions
import ScriptHost
import Terminal

/// `b2c-run plugins`
struct PluginsCommand: Command {
  static let form = CommandForm("plugins", "list the plugins, their parts and the permissions that they need")

  static let flags: [Flag<Self>] = [
    Flag("--json", "print all data as JSON, for programs", \.isJSON),
    Flag("--trust", "trust the plugins in ./plugins until they change", \.trusts),
  ]

  private var isJSON = false
  private var trusts = false

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    var run = run
    run.configuration.plugins.isForList = true
    var hasFailed = false
    _ = try await run.withHost(console) { host in
      if trusts { try host.scriptRun.trustPlugins() }
      try await host.makeReady()
      let plugins = host.registry.plugins
      hasFailed = plugins.contains { $0.problem != nil }
      let list = PluginList(plugins: plugins, permissions: host.permissions)
      if !isJSON, plugins.isEmpty {
        console.log(
          .info, "there are no plugins: they would be in \(PluginSources.usual().allFolders.joined(separator: " or "))")
      }
      isJSON ? StandardOutput.write(json: list.json) : StandardOutput.write(list.text)
    }
    return hasFailed ? .failed : .done
  }
}

@HostActor
private struct PluginList {
  let plugins: [Plugin]
  let permissions: Permissions

  var text: String {
    plugins.map { plugin in
      var lines = [([plugin.name, plugin.version, plugin.file.shown].compactMap(\.self)).joined(separator: "  ")]
      if !plugin.isTrusted {
        lines.append("  not trusted  b2c-run plugins --trust trusts it; --trust-plugins uses it in one run")
      }
      if let replaced = plugin.replacedBy { lines.append("  not used  \(replaced) has the same name") }
      if let problem = plugin.problem {
        // Lines of a message stand below its first, so that none passes for a plugin.
        let texts = ["\(problem)", problem.hint].compactMap(\.self).map(\.displayableLines)
        lines.append("  FAILED    \(texts.joined(separator: "\n").replacing("\n", with: "\n            "))")
      }
      for part in plugin.parts {
        let notes = [part.detail, part.replaced].compactMap(\.self).map { "; \($0)" }.joined()
        lines.append("  \(part.kind)\(String(repeating: " ", count: 10 - part.kind.count))\(part.name)\(notes)")
      }
      for need in plugin.needs {
        let granted = isGranted(need) ? "granted" : "not granted"
        let notes = [need.shownFlags.joined(separator: " "), granted, need.shownReason].filter { !$0.isEmpty }
        lines.append("  needs     \(notes.joined(separator: "; "))")
      }
      return lines.map { "\($0.displayableLines)\n" }.joined()
    }.joined()
  }

  private func isGranted(_ need: ScriptHeader.Need) -> Bool {
    need.flags.allSatisfy { permissions.isGranted(flag: $0) == true }
  }

  var json: String { JSON.array(plugins.map(json)).encoded() + "\n" }

  private func json(_ plugin: Plugin) -> JSON {
    var members: [String: JSON] = [
      "name": .string(plugin.name), "file": .string(plugin.file.path), "trusted": .bool(plugin.isTrusted),
      "adds": .array(
        plugin.parts.map { part in
          var members: [String: JSON] = ["kind": .string(part.kind), "name": .string(part.name)]
          members["detail"] = part.detail.map { .string($0) }
          members["replaced"] = part.replaced.map { .string($0) }
          return .object(members)
        }),
      "needs": .array(
        plugin.needs.map { need in
          [
            "flags": .array(need.flags.map { .string($0) }), "reason": .string(need.reason),
            "granted": .bool(isGranted(need)),
          ]
        }),
    ]
    members["version"] = plugin.version.map { .string($0) }
    members["replaced_by"] = plugin.replacedBy.map { .string($0) }
    members["error"] = plugin.problem.map { .string($0.description) }
    members["hint"] = plugin.problem?.hint.map { .string($0) }
    return .object(members)
  }
}
