import Automation
import Files
import Glibc
import ImportFormats
import Imports
import Lua
import LuaKit

/// Files in formats of Lua.
extension TasksModule {
  /// The format of a file. The content tells it only if the caller says nothing about its columns: who names them, reads a table.
  func found(_ path: String?, _ options: CallOptions, _ arguments: Arguments) async throws -> Formats.Found? {
    guard let path else { return nil }
    let reading = options.reading
    let isTable = !options.map.isNil || options.separator != nil || reading.header != nil || reading.skippedLines > 0
    return try await tasks.formats.find(options.format, path: path, arguments) {
      // Standard input and pipes are read once.
      let isOnce = path == "-" || ![nil, S_IFREG].contains(FileSystem.kind(of: path))
      if isOnce || options.format == nil && isTable { return nil }
      return try FormatHead(reading.applied(to: try tasks.session.permissions.source(path, arguments)))
    }
  }

  func rowSource(
    _ options: CallOptions, _ arguments: Arguments, as format: PluginFormat, _ found: Formats.Found?
  ) throws -> ImportSource.Opened {
    let path = arguments.path(0)
    let map = options.map
    guard format.rows != nil else {
      throw arguments.failure(
        "the format \(format.name) can be written, not read", hint: "\(format.file.shown) has no rows for it")
    }
    guard map.isNil || map.function != nil else {
      throw arguments.failure(
        option: "map", "expected a function, because rows of the format \(format.name) have no columns")
    }
    guard options.reading.values == nil else {
      throw arguments.failure(option: "values", "the format \(format.name) reads its words itself")
    }
    guard options.separator == nil else {
      throw arguments.failure(option: "separator", "the format \(format.name) has no separator to choose")
    }
    // An unreadable file must not become an import. One with marks was read.
    if path != "-", found?.match == nil { _ = try RawLineReader(try tasks.session.permissions.source(path, arguments)) }
    let source = LuaSource(path: path, found?.match, options.reading, tasks.context)
    let name = path == "-" ? "standard input" : path
    let doubts = found?.doubts ?? []
    var facts = SourceReading(name, format: format.name, doubts: doubts)
    facts.app = found?.title
    return ImportSource.Opened(
      rows: IteratorRowSource(format, source, map: map.function, tasks.context),
      summary: found?.title.map { "\(name): \($0), read as --format \(format.name)" }
        ?? "\(name): \(format.name), by \(format.file.shown)", doubts: doubts, facts: facts)
  }
}
