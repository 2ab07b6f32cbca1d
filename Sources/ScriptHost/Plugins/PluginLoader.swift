import Automation
import Core
import Files
import Glibc
import HostLoop
import Lua
import LuaKit
import LuaSignIn
import LuaTasks
import Permissions

@HostActor
struct PluginLoader {
  private let run: ScriptRun
  private let state: LuaState
  private let loader: ScriptLoader
  private let registry: Registry
  private let install: @HostActor (Hook) -> Void

  init(_ context: ScriptContext, _ registry: Registry, install: @escaping @HostActor (Hook) -> Void) {
    run = context.run
    state = context.state
    loader = ScriptLoader(context)
    self.registry = registry
    self.install = install
  }

  private var console: Console { run.session.console }
  private var isForList: Bool { run.configuration.plugins.isForList }

  /// Loads the plugins in order. A plugin that cannot be used is reported, and the others are loaded. A list shows plugins
  /// that nobody trusts, and does not run them.
  func load() async throws {
    let settled = try run.settledPlugins()
    let files = (isForList ? run.configuration.plugins : settled).all()
    var loaded: [(plugin: Plugin, declaration: PluginDeclaration)] = []
    for file in files {
      let plugin = Plugin(file)
      registry.plugins.append(plugin)
      plugin.isTrusted = !file.isAtHand || settled.trustsFolderAtHand
      do {
        let source = try loader.source(of: file)
        let header = ScriptHeader(source)
        plugin.needs = header.needs
        guard plugin.isTrusted else { continue }
        run.headers.append(header)
        let declaration = try await declaration(source, in: file)
        plugin.name = (declaration.name ?? file.name).displayable
        plugin.version = declaration.version?.displayable
        loaded.append((plugin, declaration))
      } catch {
        if error is CancellationError { throw error }
        report(LuaError(error), of: plugin)
      }
    }
    for (index, (plugin, declaration)) in loaded.enumerated() {
      if let later = loaded[(index + 1)...].last(where: { $0.plugin.name == plugin.name })?.plugin {
        plugin.replacedBy = later.file.shown
        console.log(
          .warn,
          "two plugins are called \(plugin.name): \(plugin.file.shown) and \(later.file.shown); the latter is used")
      } else {
        register(declaration, of: plugin)
      }
    }
  }

  private func declaration(_ source: [UInt8], in file: PluginFile) async throws -> PluginDeclaration {
    let value = try await loader.value(of: source, in: file)
    return try PluginDeclaration(value, of: file, reserved: run.configuration.reservedCommands(), state)
  }

  private func report(_ error: LuaError, of plugin: Plugin) {
    plugin.problem = error
    guard !isForList else { return }
    console.log(.error, "the plugin \(plugin.name) is not used: \(error)" + (error.hint.map { "; \($0)" } ?? ""))
  }

  private func register(_ declaration: PluginDeclaration, of plugin: Plugin) {
    for (name, command) in declaration.commands { add(name, .plugin(command), of: plugin, to: \.commands) }
    for (name, flow) in declaration.flows { add(name, .function(flow), of: plugin, to: \.signIns.flows.catalog) }
    for (name, format) in declaration.formats {
      add(name, .lua(format), of: plugin, to: \.tasks.formats.catalog, detail: format.detail)
    }
    for (name, service) in declaration.services {
      add(
        name, .declared(service), of: plugin, to: \.tasks.services.catalog,
        detail: service.summary.isEmpty ? nil : service.summary)
    }
    for (name, agent) in declaration.agents { add(name, .lua(agent), of: plugin, to: \.signIns.agents) }
    for (event, function) in declaration.hooks {
      plugin.parts.append(Plugin.Part(kind: "hook", name: event.rawValue, detail: event.access, replaced: nil))
      install(Hook(event, function, plugin, console, run.session.events))
    }
  }

  private func add<Value: Sendable>(
    _ name: String, _ value: Value, of plugin: Plugin, to catalog: ReferenceWritableKeyPath<Registry, Catalog<Value>>,
    detail: String? = nil
  ) {
    let other = registry[keyPath: catalog].add(name, value, of: plugin, detail: detail)
    let kind = registry[keyPath: catalog].kind
    if let other {
      console.log(
        .warn,
        "two plugins have the \(kind) \(name): \(other.label) and \(plugin.label); that of \(plugin.name) is used")
    } else if let replaced = plugin.parts.last?.replaced {
      console.log(.debug, "the \(kind) \(name) of the plugin \(plugin.label) \(replaced)")
    }
  }
}
