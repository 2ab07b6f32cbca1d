import CLua
import CLuaShims
import HostLoop

/// A Lua function.
package final class LuaFunction: LuaReference {
  /// Calls it in a coroutine of its own and waits. Throws `LuaError` for errors of the script, and `CancellationError`
  /// when the task is canceled: the to-be-closed variables have then run, and the script cannot swallow it.
  package func call(_ arguments: [LuaValue] = []) async throws -> [LuaValue] {
    try await state.run(self, arguments)
  }

  /// Script and line where it begins: `import.lua:12`; nil for one that is not Lua.
  package var place: String? {
    state.reserve(2, on: state.stack)
    push(onto: state.stack)
    var about = lua_Debug()
    guard lua_getinfo(state.stack, ">S", &about) != 0, about.linedefined > 0 else { return nil }
    let name = withUnsafeBytes(of: about.short_src) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return "\(name):\(about.linedefined)"
  }

  /// Gives a loaded chunk another table of globals, for what its own text says.
  package func setEnvironment(_ globals: LuaTable) {
    let stack = state.stack
    state.reserve(2, on: stack)
    push(onto: stack)
    globals.push(onto: stack)
    // A chunk's first upvalue is _ENV.
    if lua_setupvalue(stack, -2, 1) == nil { luas_pop(stack, 1) }
    luas_pop(stack, 1)
  }

  /// How deep calls may lie within each other that the host makes of functions of a script: children of `b2c.async`, handlers
  /// of events, maps of imports, hooks, agents. A handler that starts what calls it would never come to an end.
  private static let deepest = 200

  /// - Throws: a `LuaError` with code `nested_too_deeply`.
  func demandRoomToNest() throws(LuaError) {
    guard let call = HostCall.current, call.nesting > Self.deepest else { return }
    let handler = place.map { "the function at \($0)" } ?? "the function"
    throw LuaError(
      code: "nested_too_deeply",
      message:
        "\(call.name) does not call \(handler): \(Self.deepest) calls of script functions lie within each other already",
      hint: "does the function start what calls it, without an end?")
  }
}
