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

  /// The formats that are loaded, by name.
  package lazy var catalog = Catalog<Format>("format", stock: SourceFormat.allCases.map { ($0.rawValue, .native($0)) })
  private let context: ScriptContext
  private let loader: ScriptLoader

  init(_ context: ScriptContext) {
    self.context = context
    loader = ScriptLoader(context)
  }

  /// The format of a file to read, and the place of its rows; nil for an unknown one. The caller's choice counts, then the
  /// extensions of plugins' formats, then the content of the file, then its name.
  /// - Parameters:
  ///   - name: the format that the caller names; throws for an unknown one.
  ///   - head: reads the beginning of the file; nil for a file that no format recognizes by it.
  func find(
    _ name: String?, path: String, _ arguments: Arguments, head: () throws -> FormatHead?
  ) async throws -> Found? {
    if name == nil, pluginFormat(ofFile: path) == nil, let head = try head(), let found = try await recognized(head) {
      return found
    }
    try await loadStock(name, path: path)
    guard let format = try format(name, path: path, arguments, among: names) else { return nil }
    guard case .lua(let plugin) = format, name != nil, plugin.rows != nil, let head = try head() else {
      return Found(format: format, match: nil)
    }
    let match = plugin.marks.match(head)
    guard match != nil || !plugin.marks.areColumns else {
      // Without a header, its rows could only be guessed.
      throw ImportError(
        kind: .missingColumn,
        message: "\(path) is not of the kind \"\(plugin.title)\": no line of its beginning has the columns "
          + plugin.marks.columns.map { $0.map { "\"\($0)\"" }.joined(separator: ", ") }.joined(separator: ", or "),
        hint: "--format csv (format = \"csv\" in a script) reads any table")
    }
    return Found(format: format, match: match ?? FormatMatch(isDocument: head.outline != nil))
  }

  /// A format, and the place of the rows in its file.
  struct Found {
    let format: Format
    let match: FormatMatch?
    /// The kind of file, if the content shows it.
    var title: String?
    var doubts: [ReadingDoubt] = []
  }

  /// The format that recognizes a file by its content. Throws if several do.
  private func recognized(_ head: FormatHead) async throws -> Found? {
    var claims: [(name: String, title: String, match: FormatMatch)] = []
    for name in catalog.names {
      guard case .lua(let plugin)? = catalog[name], plugin.rows != nil, !plugin.isStock else { continue }
      do {
        if let claim = try await plugin.claim(head, context) { claims.append((name, claim.title, claim.match)) }
      } catch let error as LuaError {
        // The other formats know their files.
        context.session.console.log(
          .warn,
          "\(plugin.file.shown): formats.\(name): recognize failed, and is passed over for \(head.name): \(error)")
      }
    }
    for format in StockFormat.all where !isReplaced(format.name) && (format.joinsLists || !head.hasSeveralLists) {
      let match = format.marks.match(head) ?? (format.recognize(head) ? FormatMatch() : nil)
      if let match { claims.append((format.name, format.title, match)) }
    }
    guard let claim = claims.first else { return nil }
    guard claims.count == 1 else {
      throw ImportError(
        kind: .doubtful, message: "\(head.name) may be \(claims.map(\.title).joined(separator: " or "))",
        hint: "nothing was sent: "
          + claims.map { "--format \($0.name) (format = \"\($0.name)\" in a script)" }.joined(separator: " or ")
          + " decides")
    }
    try await load(claim.name)
    return catalog[claim.name].map {
      Found(format: $0, match: claim.match, title: claim.title, doubts: head.encodingDoubt.map { [$0] } ?? [])
    }
  }

  /// True if a plugin has a format of that name.
  private func isReplaced(_ name: String) -> Bool {
    if case .lua(let plugin)? = catalog[name] { !plugin.isStock } else { false }
  }

  /// Loads the stock format that a call names, or whose ending its file has, unless a plugin has one of that name.
  func loadStock(_ named: String?, path: String) async throws {
    let file = Self.unpackedName(path)
    for format in StockFormat.all
    where named == format.name || named == nil && format.ending.map({ file.hasSuffix($0) }) ?? false {
      try await load(format.name)
    }
  }

  private func load(_ name: String) async throws {
    guard catalog[name] == nil, let format = StockFormat.all.first(where: { $0.name == name }) else { return }
    // Its modules are beside those of the services.
    let folder = context.run.configuration.session.scriptsFolder
    let file = PluginFile("\(folder)/formats/\(name).lua")
    let value = try await loader.value(of: file, beside: PluginFile("\(folder)/any.lua"))
    guard let table = value.table else { return }
    let place = HostFunction(name, "", [.options(LuaRecord.pluginFormat.fields)]) { _ in [] }
    let declared = try Arguments(options: table, of: place, context.state, noun: "key")
    catalog.define(name, .lua(try PluginFormat(name, declared, file, stock: format)))
  }

  /// The format of the option `format`, or else of the file's name; nil if unknown. Throws for an unknown `format`.
  /// - Parameter names: those that the error lists.
  func format(
    _ name: String?, path: String, _ arguments: Arguments, among names: [String]
  ) throws -> Format? {
    guard let name else { return format(ofFile: path) }
    guard let format = catalog[name] else {
      throw arguments.failure(
        option: "format", "expected one of \(names.map { "\"\($0)\"" }.joined(separator: ", ")), got \"\(name)\"",
        hint: nearestName(to: name, in: names).map { "did you mean \"\($0)\"?" })
    }
    return format
  }

  /// The names of all formats, also of stock formats that are not loaded yet.
  var names: [String] {
    catalog.names + StockFormat.all.map(\.name).filter { catalog[$0] == nil }
  }

  /// The names of the formats that an export can write.
  var writtenNames: [String] {
    names.filter { name in
      if case .lua(let format)? = catalog[name] { return format.write != nil }
      return StockFormat.all.first { $0.name == name }?.isWritten ?? true
    }
  }

  /// The format of a file of that name. The plugin with the longest matching extension wins, the later one of two; then
  /// comes a stock format, unless a plugin has taken its name.
  func format(ofFile path: String) -> Format? {
    pluginFormat(ofFile: path) ?? SourceFormat(path: path).flatMap { catalog[$0.rawValue] }
  }

  /// The name in lower case, without the ending of a compression.
  private static func unpackedName(_ path: String) -> String {
    var name = path.lowercased()
    for ending in [".gz", ".zst"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
    return name
  }

  private func pluginFormat(ofFile path: String) -> Format? {
    let name = Self.unpackedName(path)
    var best: (format: Format, length: Int)?
    for format in catalog.names.compactMap({ catalog[$0] }) {
      guard case .lua(let plugin) = format else { continue }
      for ending in plugin.extensions where name.hasSuffix(ending) && ending.count >= best?.length ?? 0 {
        best = (format, ending.count)
      }
    }
    return best?.format
  }
}
