package import Automation
import Files
package import HostLoop
import ImportEngine
import ImportFormats
package import Lua
import LuaKit
import Permissions

/// A format of files that a plugin reads, writes, or both.
package struct PluginFormat: Sendable {
  let name: String
  let file: PluginFile
  /// Each begins with a dot, in lower case.
  let extensions: [String]
  let rows: LuaFunction?
  let write: LuaFunction?

  @HostActor package init(_ name: String, _ declaration: Arguments, _ file: PluginFile) throws(LuaError) {
    self.name = name
    self.file = file
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

extension LuaRecord {
  /// A format of a plugin.
  package static let pluginFormat = LuaRecord(
    "plugin format", "A format of files that a plugin reads, writes, or both.",
    .optional(
      "extensions", .list(of: .string), "The extensions of such files, each with its dot: { \".todoist.csv\" }."),
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
}
