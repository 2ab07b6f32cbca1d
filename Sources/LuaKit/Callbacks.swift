import Core
package import HostLoop
package import Lua

extension Events {
  /// Calls a function of the script for something that happened, and emits the call. `name` is the name that scripts
  /// know it by, such as `on_changed`; `subject` has the arguments in a few words.
  package func call(
    _ function: LuaFunction, _ arguments: [LuaValue], as name: String, _ subject: @autoclosure () -> String?
  ) async throws -> LuaValue {
    guard isWatched(RunEvent.self) else { return try await function.call(arguments).first ?? .nil }
    let start = HostLoop.uptime
    var call = RunEvent.Callback(name, defined: function.place)
    call.subject = subject()
    defer { emit(RunEvent.calledBack(call, start: start)) }
    do {
      let answer = try await function.call(arguments).first ?? .nil
      call.answer = answer.summary
      return answer
    } catch {
      call.error = error
      throw error
    }
  }
}

extension EventPlace {
  /// The place of a call of a script.
  @HostActor package init(_ call: HostCall?, running: String?) {
    self.init()
    line = call?.place
    self.call = call?.name
    coroutine = call?.coroutine
    runningLine = running
    var caller = call?.caller
    while let next = caller {
      if let place = next.place { via.append(place) }
      caller = next.caller
    }
  }
}

extension LuaValue {
  /// The result of a function. A table is shown by the names in it, because its values may be anybody's business.
  @HostActor fileprivate var summary: String? {
    switch self {
    case .nil: return nil
    case .table(let table):
      let names = ((try? table.pairs) ?? []).map { $0.key.string ?? $0.key.typeName }.sorted()
      return "{ \(names.joined(separator: ", ")) }"
    case .boolean(let value): return "\(value)"
    case .bytes: return string
    default: return number.map { LuaNumber.text($0) } ?? typeName
    }
  }
}
