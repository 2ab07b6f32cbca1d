import Automation
import Core
package import HostLoop
import ImportEngine
package import ImportFormats
import Lua
package import LuaKit

/// The formats of files by name: those of the program, those in Lua, and those of plugins.
@HostActor
package final class Formats {
  /// A format of files.
  package enum Format: Sendable {
    case native(SourceFormat)
    case lua(PluginFormat)
  }

  /// The formats that are Lua, each a file of that name, and their extensions.
  nonisolated static let stock = [(name: "ics", ending: ".ics")]

  /// The formats that are loaded, by name.
  package lazy var catalog = Catalog<Format>("format", stock: SourceFormat.allCases.map { ($0.rawValue, .native($0)) })
  private let context: ScriptContext
  private let loader: ScriptLoader

  init(_ context: ScriptContext) {
    self.context = context
    loader = ScriptLoader(context)
  }

  /// Loads the stock format that a call names, or whose ending its file has, unless a plugin has one of that name.
  func loadStock(_ named: String?, path: String) async throws {
    var file = path.lowercased()
    for ending in [".gz", ".zst"] where file.hasSuffix(ending) { file.removeLast(ending.count) }
    for format in Self.stock where named == format.name || named == nil && file.hasSuffix(format.ending) {
      guard catalog[format.name] == nil else { continue }
      // Its modules are beside those of the services.
      let folder = context.run.configuration.session.scriptsFolder
      let file = PluginFile("\(folder)/formats/\(format.name).lua")
      let value = try await loader.value(of: file, beside: PluginFile("\(folder)/any.lua"))
      guard let table = value.table else { continue }
      let place = HostFunction(format.name, "", [.options(LuaRecord.pluginFormat.fields)]) { _ in [] }
      let declared = try Arguments(options: table, of: place, context.state, noun: "key")
      catalog.define(format.name, .lua(try PluginFormat(format.name, declared, file)))
    }
  }

  /// The format of the option `format`, or else of the file's name; nil if unknown. Throws for an unknown `format`.
  func format(_ name: String?, path: String, _ arguments: Arguments) throws -> Format? {
    guard let name else { return format(ofFile: path) }
    guard let format = catalog[name] else {
      let names = names
      throw arguments.failure(
        option: "format", "expected one of \(names.map { "\"\($0)\"" }.joined(separator: ", ")), got \"\(name)\"",
        hint: nearestName(to: name, in: names).map { "did you mean \"\($0)\"?" })
    }
    return format
  }

  /// The names of all formats, also of stock formats that are not loaded yet.
  var names: [String] {
    catalog.names + Self.stock.map(\.name).filter { catalog[$0] == nil }
  }

  /// The format of a file of that name. The plugin with the longest matching extension wins, the later one of two; then
  /// comes a stock format, unless a plugin has taken its name.
  func format(ofFile path: String) -> Format? {
    var name = path.lowercased()
    for ending in [".gz", ".zst"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
    var best: (format: Format, length: Int)?
    for format in catalog.names.compactMap({ catalog[$0] }) {
      guard case .lua(let plugin) = format else { continue }
      for ending in plugin.extensions where name.hasSuffix(ending) && ending.count >= best?.length ?? 0 {
        best = (format, ending.count)
      }
    }
    return best?.format ?? SourceFormat(path: path).flatMap { catalog[$0.rawValue] }
  }
}
