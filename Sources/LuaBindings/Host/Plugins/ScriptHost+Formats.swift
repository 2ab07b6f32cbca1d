import Automation
import Files
import HostLoop
import Lua
import TaskAPI
import TaskImport

extension ScriptHost {
  /// Writes all tasks to a file in a plugin's format.
  func export(
    _ arguments: Arguments, to place: OutputPlace, as format: PluginFormat
  ) async throws -> [(name: String, value: LuaValue)] {
    guard let write = format.write else {
      throw arguments.failure(
        "the format \(format.name) can be read, not written", hint: "\(format.file.shown) has no write for it")
    }
    guard arguments["separator"].isNil else {
      throw arguments.failure(option: "separator", "the format \(format.name) has no separator to choose")
    }
    let clock = ContinuousClock()
    let start = clock.now
    let file = try ExportFile(place)
    let tasks = TaskCursor(try await taskClient(of: givenAccount(arguments)).pages(), json, state)
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
