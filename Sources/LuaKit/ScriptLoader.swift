package import Automation
import CommandLine
import Core
import Files
import Glibc
package import HostLoop
package import Lua

/// Loads files of plugins, and scripts of the program that have the same form. Each file has separate global variables and a
/// separate `require`.
@HostActor
package struct ScriptLoader {
  private let run: ScriptRun
  private let state: LuaState

  package init(_ context: ScriptContext) {
    run = context.run
    state = context.state
  }

  /// The value that a file returns.
  /// - Parameter neighbor: a file beside which it finds its modules, if that is not the file itself.
  package func value(of file: PluginFile, beside neighbor: PluginFile? = nil) async throws -> LuaValue {
    try await value(of: source(of: file), in: file, beside: neighbor)
  }

  /// The value that the source of a file returns.
  package func value(
    of source: [UInt8], in file: PluginFile, beside neighbor: PluginFile? = nil
  ) async throws -> LuaValue {
    let chunk = try load(source, file, try await globals(of: neighbor ?? file))
    return try await chunk.call([.path(file.name), .path(file.path)]).first ?? .nil
  }

  /// The global variables of a plugin. It reads those of the state, and sets its own. Its `require` searches the plugin's
  /// folder, and keeps its modules apart from those of the script and of other plugins.
  package func globals(of file: PluginFile) async throws -> LuaTable {
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
  package func source(of file: PluginFile, with plugin: PluginFile? = nil) throws(LuaError) -> [UInt8] {
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

  /// Loads the source of a file with these global variables.
  package func load(_ source: [UInt8], _ file: PluginFile, _ globals: LuaTable) throws(LuaError) -> LuaFunction {
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
