import Automation
import Files
import HostLoop
import Lua
import TaskAPI
import TaskImport

extension PluginFormat {
  /// Writes all tasks to a file in this format.
  /// - Parameters:
  ///   - arguments: the arguments of `tasks.export`.
  ///   - client: signs in first, where that is needed.
  @HostActor
  func export(
    _ arguments: Arguments, to place: OutputPlace, _ json: JSONMarshal,
    client: @HostActor () async throws -> TaskAPIClient
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
    let tasks = TaskCursor(try await client().pages(), json, state)
    let next = HostFunction(name, "The next task.") { _ in [try tasks.next()] }
    let put = HostFunction(name, "Writes a text.", [Parameter("text", .string)]) { arguments in
      if case .bytes(let bytes) = arguments[0] { try file.write(bytes) }
      return []
    }
    _ = try await write.call([.function(state.closure(next)), .function(state.closure(put))])
    try file.finish()
    return .record([
      ("tasks", .integer(tasks.count)), ("bytes", .integer(file.bytes)),
      ("seconds", .number((clock.now - start) / .seconds(1))), ("path", .string(place.path)),
      ("format", .string(name)),
    ])
  }
}
