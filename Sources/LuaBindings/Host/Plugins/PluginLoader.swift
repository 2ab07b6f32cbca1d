import Automation
import CommandLine
import Core
import Files
import Glibc
import HostLoop
import Lua
import Permissions

@HostActor
struct PluginLoader {
  let run: ScriptRun
  let state: LuaState
  let registry: Registry
  let install: @HostActor (Hook) -> Void

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
        let source = try source(of: file)
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
    let chunk = try load(source, file, try await globals(of: file))
    let value = try await chunk.call([.path(file.name), .path(file.path)]).first ?? .nil
    return try PluginDeclaration(value, of: file, reserved: run.configuration.reservedCommands(), state)
  }

  private func report(_ error: LuaError, of plugin: Plugin) {
    plugin.problem = error
    guard !isForList else { return }
    console.log(.error, "the plugin \(plugin.name) is not used: \(error)" + (error.hint.map { "; \($0)" } ?? ""))
  }

  private func register(_ declaration: PluginDeclaration, of plugin: Plugin) {
    for (name, command) in declaration.commands { add(name, .plugin(command), of: plugin, to: \.commands) }
    for (name, flow) in declaration.flows { add(name, .function(flow), of: plugin, to: \.flows) }
    for (name, format) in declaration.formats {
      add(name, .lua(format), of: plugin, to: \.formats, detail: format.detail)
    }
    for (name, service) in declaration.services {
      add(name, .declared(service), of: plugin, to: \.services, detail: service.summary.isEmpty ? nil : service.summary)
    }
    for (name, agent) in declaration.agents { add(name, .lua(agent), of: plugin, to: \.agents) }
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

  /// The global variables of a plugin. It reads those of the state, and sets its own. Its `require` searches the plugin's
  /// folder, and keeps its modules apart from those of the script and of other plugins.
  func globals(of file: PluginFile) async throws -> LuaTable {
    let glue = try state.load(Array(pluginRequire.utf8), name: LuaState.hostChunk)
    let globals = state.makeTable()
    let find = HostFunction("require", "", [Parameter("name", .string)], returns: [.init(.function, "")]) { arguments in
      let part = arguments.path(0).replacing(".", with: "/")
      // A linked plugin has its modules beside the real file.
      let real = GivenFiles.folder(ofScript: file.path)
      let folders = real == file.folder ? [real] : [real, file.folder]
      let places = folders.flatMap { ["\($0)/\(part).lua", "\($0)/\(part)/init.lua"] }
      guard let place = places.first(where: { FileSystem.access($0, F_OK) == 0 }) else {
        let missing = places.map { "\n\tno file '\($0)'" }.joined()
        return [.nil, .string("module '\(arguments.string(0))' not found:\(missing)")]
      }
      let module = PluginFile(place)
      return [.function(try load(try source(of: module, with: file), module, globals)), .path(place)]
    }
    _ = try await glue.call([.table(globals), .function(state.function(find))])
    return globals
  }

  /// Reads a file of a plugin. It needs no permission: the person gave one by naming the plugin, or by putting it into the
  /// folder of plugins. That holds for files in the folder of the plugin, not for the targets of links there.
  /// - Parameter plugin: the plugin of a module; nil for the plugin itself, to which a person's own folder may have a link.
  func source(of file: PluginFile, with plugin: PluginFile? = nil) throws(LuaError) -> [UInt8] {
    let real = FileSystem.realPath(file.path)
    var folders: [String?] = []
    if let plugin {
      folders = [plugin.folder, plugin.realFolder]
    } else if file.isAtHand {
      folders = [run.configuration.plugins.folderAtHand]
    }
    if let real, !folders.isEmpty, !folders.contains(where: { $0.map { PluginFile.isReally(real, in: $0) } ?? false }) {
      throw LuaError(
        code: "file_outside", message: "\(file.shown) leads out of the plugins' folder, to \(real)",
        hint: "put the file itself there")
    }
    do {
      // Exactly the file that was checked: no link that appeared meanwhile is followed.
      let place = (real ?? file.path).pathBytes
      let source = try real == nil ? OpenFile(place, .reading) : OpenFile(exact: place, .reading)
      return try source.contents(limit: Self.longestPlugin)
    } catch {
      throw LuaError(code: "file_unreadable", message: "cannot read \(file.shown): \(error.reason)")
    }
  }

  private nonisolated static let longestPlugin = 16 << 20

  func load(_ source: [UInt8], _ file: PluginFile, _ globals: LuaTable) throws(LuaError) -> LuaFunction {
    let chunk = try state.load(source, name: file.shown)
    chunk.setEnvironment(globals)
    return chunk
  }
}

/// Written in Lua, so that a module can wait while it loads.
private let pluginRequire = """
  local globals, find = ...
  local shared, loaded = require, {}
  local standard = {}
  for name in pairs(package.loaded) do standard[name] = true end

  function globals.require(name)
    if standard[name] or type(name) == "string" and name:find "^b2c%." then return shared(name) end
    local value = loaded[name]
    if value ~= nil then return value end
    local chunk, place = find(name)
    if not chunk then error(place, 2) end
    value = chunk(name, place)
    if value ~= nil then loaded[name] = value elseif loaded[name] == nil then loaded[name] = true end
    return loaded[name], place
  end

  setmetatable(globals, { __index = _G, __metatable = false })
  """
