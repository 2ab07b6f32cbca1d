import Automation
import Core
import Files
import HostLoop
import Lua
import TaskAPI
import TaskImport

/// Formats of files, the program's own and those of plugins.
extension ScriptHost {
  /// The format of the option, else the one that the file's name says; nil where neither does.
  /// - Throws: for a name there is no format of.
  func format(_ arguments: Arguments, path: String) throws -> Registry.Format? {
    guard let name = arguments["format"].string else { return registry.format(ofFile: path) }
    guard let format = registry.formats[name] else {
      throw unknownFormat(name, arguments, registry.formats.names)
    }
    return format
  }

  private func unknownFormat(_ name: String, _ arguments: Arguments, _ names: [String]) -> LuaError {
    arguments.failure(
      "option 'format': expected one of \(names.map { "\"\($0)\"" }.joined(separator: ", ")), got \"\(name)\"",
      hint: nearestName(to: name, in: names).map { "did you mean \"\($0)\"?" })
  }

  /// Writes all tasks to a file in a plugin's format.
  func export(
    _ arguments: Arguments, to place: OutputPlace, as format: PluginFormat
  ) async throws -> [(name: String, value: LuaValue)] {
    guard let write = format.write else {
      throw arguments.failure(
        "the format \(format.name) can be read, not written", hint: "\(format.file.shown) has no write for it")
    }
    guard arguments["separator"].isNil else {
      throw arguments.failure("option 'separator': the format \(format.name) has no separator to choose")
    }
    let clock = ContinuousClock()
    let start = clock.now
    let file = try ExportFile(place)
    let tasks = TaskCursor(try await taskClient(of: givenAccount(arguments)).pages(), self)
    let next = HostFunction(format.name, "The next task.") { _ in [try tasks.next()] }
    let put = HostFunction(format.name, "Writes a text.", [Parameter("text", .string)]) { arguments in
      if case .bytes(let bytes) = arguments[0] { try file.write(bytes) }
      return []
    }
    _ = try await write.call([.function(state.closure(next)), .function(state.closure(put))])
    try file.finish()
    return [
      ("tasks", .integer(tasks.count)), ("bytes", .integer(file.bytes)),
      ("seconds", .number((clock.now - start) / .seconds(1))), ("path", .string(place.path)),
      ("format", .string(format.name)),
    ]
  }
}

extension Registry {
  /// The format of a file of that name: that of a plugin whose extension fits best, the later of two; else a stock one,
  /// unless a plugin has taken its name.
  func format(ofFile path: String) -> Format? {
    var name = path.lowercased()
    for ending in [".gz", ".zst"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
    var best: (format: Format, length: Int)?
    for format in formats.names.compactMap({ formats[$0] }) {
      guard case .lua(let plugin) = format else { continue }
      for ending in plugin.extensions where name.hasSuffix(ending) && ending.count >= best?.length ?? 0 {
        best = (format, ending.count)
      }
    }
    return best?.format ?? SourceFormat(path: path).flatMap { formats[$0.rawValue] }
  }
}
