import Automation
import Files
import HostLoop
import Lua
import TaskAPI
import TaskImport

/// A format of files that a plugin reads, writes, or both.
struct PluginFormat: Sendable {
  let name: String
  let file: PluginFile
  /// Each begins with a dot, in lower case.
  let extensions: [String]
  let rows: LuaFunction?
  let write: LuaFunction?

  /// Reads the declaration.
  /// - Throws: an error that names the wrong entry.
  @HostActor init(_ name: String, _ declaration: Arguments, _ file: PluginFile) throws(LuaError) {
    self.name = name
    self.file = file
    rows = declaration["rows"].function
    write = declaration["write"].function
    guard rows != nil || write != nil else {
      throw declaration.failure("expected 'rows', 'write' or both", hint: "rows reads such files, write writes them")
    }
    var extensions: [String] = []
    for value in declaration["extensions"].table?.elements ?? [] {
      guard let text = value.string, text.hasPrefix("."), text.count > 1 else {
        let got = value.string.map { "\"\($0)\"" } ?? "a \(value.typeName)"
        throw declaration.failure("key 'extensions': expected texts such as \".\(name)\", got \(got)")
      }
      extensions.append(text.lowercased())
    }
    self.extensions = extensions
  }

  /// ".todoist.csv; read and written", for lists.
  var detail: String {
    let uses = [rows == nil ? nil : "read", write == nil ? nil : "written"].compactMap(\.self)
    return (extensions + [uses.joined(separator: " and ")]).joined(separator: ", ")
  }

  /// Writes all tasks to a file in this format.
  /// - Parameter arguments: the arguments of `tasks.export`.
  @HostActor
  func export(
    _ arguments: Arguments, to place: OutputPlace, _ module: TasksModule
  ) async throws -> LuaValue {
    guard let write else {
      throw arguments.failure("the format \(name) can be read, not written", hint: "\(file.shown) has no write for it")
    }
    guard arguments["separator"].isNil else {
      throw arguments.failure(option: "separator", "the format \(name) has no separator to choose")
    }
    let state = arguments.state
    let clock = ContinuousClock()
    let start = clock.now
    let file = try ExportFile(place)
    let tasks = TaskCursor(try await module.client(arguments).pages(), module.json, state)
    let next = HostFunction(name, "The next task.") { _ in [try tasks.next()] }
    let put = HostFunction(name, "Writes a text.", [Parameter("text", .string)]) { arguments in
      if case .bytes(let bytes) = arguments[0] { try file.write(bytes) }
      return []
    }
    _ = try await write.call([.function(state.closure(next)), .function(state.closure(put))])
    try file.finish()
    return .record([
      ("tasks", .integer(tasks.count)), ("bytes", .integer(file.bytes)),
      ("seconds", .number((clock.now - start) / .seconds(1))), ("path", .string(place.path)), ("format", .string(name)),
    ])
  }
}
