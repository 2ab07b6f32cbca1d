package import Automation
import Files
package import HostLoop
import ImportEngine
import ImportFormats
package import Lua
import LuaKit
import Permissions
import TaskExport

/// A format of files that a plugin reads, writes, or both.
package struct PluginFormat: Sendable {
  let name: String
  let file: PluginFile
  /// Each begins with a dot, in lower case.
  let extensions: [String]
  let rows: LuaFunction?
  let write: LuaFunction?
  /// True for a format of the program.
  let isStock: Bool
  /// The kind of file in words.
  let title: String
  let marks: FormatMarks
  let recognize: LuaFunction?

  @HostActor package init(_ name: String, _ declaration: Arguments, _ file: PluginFile) throws(LuaError) {
    try self.init(name, declaration, file, stock: nil)
  }

  @HostActor init(
    _ name: String, _ declaration: Arguments, _ file: PluginFile, stock: StockFormat?
  ) throws(LuaError) {
    self.name = name
    self.file = file
    isStock = stock != nil
    title = stock?.title ?? declaration["title"].string ?? name
    recognize = declaration["recognize"].function
    marks = if let stock { stock.marks } else { try FormatMarks(declaration) }
    rows = declaration["rows"].function
    write = declaration["write"].function
    guard rows != nil || write != nil else {
      throw declaration.failure("expected 'rows', 'write' or both", hint: "rows reads such files, write writes them")
    }
    var extensions: [String] = []
    for value in try declaration["extensions"].table?.elements ?? [] {
      guard let text = value.string, text.hasPrefix("."), text.count > 1 else {
        let got = value.string.map { "\"\($0)\"" } ?? "a \(value.typeName)"
        throw declaration.failure("key 'extensions': expected texts such as \".\(name)\", got \(got)")
      }
      extensions.append(text.lowercased())
    }
    self.extensions = extensions
  }

  /// `recognize` looks at a few kilobytes.
  private static let mostSeconds = 5.0

  /// The kind of file, and the place of its rows, if this is a file of the format; else nil.
  @HostActor
  func claim(_ head: FormatHead, _ context: ScriptContext) async throws -> (title: String, match: FormatMatch)? {
    if let match = marks.match(head) { return (title, match) }
    guard let recognize else { return nil }
    let answer = try await recognize.call([head.record(context)], seconds: Self.mostSeconds).first ?? .nil
    guard answer.boolean == true || answer.string != nil else { return nil }
    return (answer.string ?? title, FormatMatch())
  }

  package var detail: String {
    let uses = [rows == nil ? nil : "read", write == nil ? nil : "written"].compactMap(\.self)
    return (extensions + [uses.joined(separator: " and ")]).joined(separator: ", ")
  }

  @HostActor
  func export(
    _ options: TasksModule.ExportOptions, _ arguments: Arguments, to place: OutputPlace, _ tasks: TasksModule
  ) async throws -> LuaValue {
    guard let write else {
      throw arguments.failure("the format \(name) can be read, not written", hint: "\(file.shown) has no write for it")
    }
    guard options.separator == nil else {
      throw arguments.failure(option: "separator", "the format \(name) has no separator to choose")
    }
    let state = arguments.state
    let clock = ContinuousClock()
    let start = clock.now
    let file = try ExportFile(place)
    let tasks = try await tasks.cursor(arguments)
    let next = HostFunction(name, "The next task.") { _ in
      let task = try tasks.next()
      // A list of the task API is its name.
      if let table = task.table { table["list_name"] = table["list"] }
      return [task]
    }
    let put = HostFunction(name, "Writes a text.", [Parameter("text", .string)]) { arguments in
      if case .bytes(let bytes) = arguments[0] { try file.write(bytes) }
      return []
    }
    _ = try await write.call([.function(state.closure(next)), .function(state.closure(put))])
    try file.finish()
    return .record([
      ("tasks", .integer(tasks.count)), ("bytes", .integer(file.bytes)),
      ("seconds", .number((clock.now - start) / .seconds(1))), ("path", .path(place.path)), ("format", .string(name)),
    ])
  }
}

extension FormatHead {
  /// The value of `recognize`.
  @HostActor fileprivate func record(_ context: ScriptContext) -> LuaValue {
    .record([
      ("name", .path(name)), ("entries", context.list(entries)), ("text", .string(text)),
      ("columns", context.list(columns)), ("members", context.list((outline?.paths ?? []).sorted())),
    ])
  }
}

extension FormatMarks {
  @HostActor fileprivate init(_ declaration: Arguments) throws(LuaError) {
    self.init()
    columns = try Self.alternatives(declaration["columns"])
    members = try Self.alternatives(declaration["members"])
    entries = try Self.alternatives(declaration["entries"])
  }

  /// A list of texts, or a list of such lists.
  @HostActor private static func alternatives(_ value: LuaValue) throws(LuaError) -> [[String]] {
    guard let elements = try value.table?.elements else { return [] }
    let texts = elements.compactMap(\.string)
    guard texts.isEmpty else { return [texts] }
    var lists: [[String]] = []
    for element in elements { lists.append(try element.table?.elements.compactMap(\.string) ?? []) }
    return lists.filter { !$0.isEmpty }
  }
}

extension LuaRecord {
  /// A format of a plugin.
  package static let pluginFormat = LuaRecord(
    "plugin format", "A format of files that a plugin reads, writes, or both.",
    .optional(
      "extensions", .list(of: .string), "The extensions of such files, each with its dot: { \".todoist.csv\" }."),
    .optional("title", .string, "The kind of file in words, for messages: \"Nirvana backup\"."),
    .optional(
      "columns", .either([.list(of: .string), .list(of: .list(of: .string))]),
      "The names of columns by which such a file is recognized, in one line of its beginning; or a list of such lists, of which one "
        + "must be there."),
    .optional(
      "members", .either([.list(of: .string), .list(of: .list(of: .string))]),
      "The members of a JSON document by which such a file is recognized, as paths: \"lists\", \"data[].gid\", \"[].uuid\"."
    ),
    .optional(
      "entries", .either([.list(of: .string), .list(of: .list(of: .string))]),
      "The endings of names of entries by which a zip archive is recognized."),
    .optional(
      "recognize",
      .callback(
        [Parameter("head", .record(fileHead), "The beginning of a file.")],
        returns: [.init(.either([.boolean, .string]), optional: true, "true, or the kind of file in words.")]),
      "Recognizes such a file by its beginning, in addition to columns, members and entries."),
    .optional(
      "rows",
      .callback(
        [Parameter("source", .object("source"), "The source to read.")],
        returns: [
          .init(
            .functionReturning(
              .init(.newTask, optional: true, "The next row; nil at the end."),
              .init(.integer, optional: true, "The line of the row.")), "An iterator over the rows.")
        ]), "Reads such a file."),
    .optional(
      "write",
      .callback([
        Parameter(
          "tasks", .functionReturning(.init(.record(.task), optional: true, "The next task; nil at the end.")),
          "An iterator over the tasks."),
        Parameter("put", .callback([Parameter("text", .string, "The text to write.")]), "Writes a text."),
      ]), "Writes such a file."))

  /// The beginning of a file, for `recognize`.
  static let fileHead = LuaRecord(
    "file head", "The beginning of a file, by which a format recognizes it.",
    Parameter("name", .string, "The name of the file, without its folder."),
    Parameter("entries", .list(of: .string), "The entries of a zip archive, or the sheets of a workbook."),
    Parameter("text", .string, "The first 64 KiB of the text, or of the first list in an archive."),
    Parameter("columns", .list(of: .string), "The columns of the widest of the first lines of a table."),
    Parameter("members", .list(of: .string), "The paths of members of a JSON document: \"data[].gid\"."))
}
