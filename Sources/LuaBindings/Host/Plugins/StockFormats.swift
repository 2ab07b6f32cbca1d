import Automation
import Lua

extension ScriptHost {
  /// The formats of files that are Lua, each a file of that name, and their extensions.
  nonisolated static let stockFormats = [(name: "ics", ending: ".ics")]

  /// Loads the stock format that a call names, or whose ending its file has, unless a plugin has one of that name.
  func loadStockFormat(_ arguments: Arguments, path: String) async throws {
    var file = path.lowercased()
    for ending in [".gz", ".zst"] where file.hasSuffix(ending) { file.removeLast(ending.count) }
    let named = arguments["format"].string
    for format in Self.stockFormats where named == format.name || named == nil && file.hasSuffix(format.ending) {
      guard registry.formats[format.name] == nil else { continue }
      // Its modules are beside those of the services.
      let file = PluginFile("\(configuration.session.scriptsFolder)/formats/\(format.name).lua")
      let globals = try await pluginLoader.globals(of: PluginFile("\(configuration.session.scriptsFolder)/any.lua"))
      let chunk = try pluginLoader.load(try pluginLoader.source(of: file), file, globals)
      guard let table = try await chunk.call([.path(file.name), .path(file.path)]).first?.table else { continue }
      let place = HostFunction(format.name, "", [.options(LuaRecord.pluginFormat.fields)]) { _ in [] }
      let declared = try Arguments(options: table, of: place, state, noun: "key")
      registry.formats.define(format.name, .lua(try PluginFormat(format.name, declared, file)))
    }
  }
}
