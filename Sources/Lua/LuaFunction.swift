import HostLoop

/// A Lua function.
package final class LuaFunction: LuaReference {
  /// Calls it in a coroutine of its own, and waits for what it waits for.
  ///
  /// Throws `LuaError` for what the script raised, and `CancellationError` when the task is canceled: the script's
  /// to-be-closed variables have then run, and it cannot swallow it.
  package func call(_ arguments: [LuaValue] = []) async throws -> [LuaValue] {
    try await state.run(self, arguments)
  }
}
