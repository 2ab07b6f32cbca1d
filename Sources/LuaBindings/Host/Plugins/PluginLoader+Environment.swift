import Automation
import Files
import Glibc
import HostLoop
import Lua

extension PluginLoader {
  /// The global variables of a plugin. It reads those of the state, and sets its own. Its `require` searches the plugin's
  /// folder, and keeps its modules apart from those of the script and of other plugins.
  func globals(of file: PluginFile) async throws -> LuaTable {
    let glue = try state.load(Array(pluginRequire.utf8), name: LuaState.hostChunk)
    let globals = state.makeTable()
    let find = HostFunction("require", "", [Parameter("name", .string)], returns: [.init(.function, "")]) {
      arguments in
      let part = arguments.string(0).replacing(".", with: "/")
      let places = ["\(file.folder)/\(part).lua", "\(file.folder)/\(part)/init.lua"]
      guard let place = places.first(where: { access($0, F_OK) == 0 }) else {
        let missing = places.map { "\n\tno file '\($0)'" }.joined()
        return [.nil, .string("module '\(arguments.string(0))' not found:\(missing)")]
      }
      let module = PluginFile(place)
      return [.function(try load(try source(of: module, with: file), module, globals)), .string(place)]
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
      folders = [automation.configuration.plugins.folderAtHand]
    }
    if let real, !folders.isEmpty, !folders.contains(where: { $0.map { PluginFile.isReally(real, in: $0) } ?? false }) {
      throw LuaError(
        code: "file_outside", message: "\(file.shown) leads out of the plugins' folder, to \(real)",
        hint: "put the file itself there")
    }
    do {
      // Exactly the file that was checked: no link that appeared meanwhile is followed.
      let place = Array((real ?? file.path).utf8)
      let source = try real == nil ? OpenFile(place, .reading) : OpenFile(exact: place, .reading)
      return try source.contents(limit: Self.longestPlugin)
    } catch {
      throw LuaError(code: "file_unreadable", message: "cannot read \(file.shown): \(error.reason)")
    }
  }

  /// In bytes.
  private nonisolated static let longestPlugin = 16 << 20

  /// Compiles a file of a plugin.
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
