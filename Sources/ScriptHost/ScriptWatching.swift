import HostLoop
package import Lua

/// Who watches the script of a host.
package struct ScriptWatching {
  /// Gets the lines that the script has run, with the paths of chunks by their names; nil: they are not counted.
  package var coverage: (@HostActor (LuaState, _ paths: [String: String]) -> Void)?
  /// Halts the script at a call of `b2c.debug`; nil where nobody can look at it.
  package var onDebug: (@HostActor (HostCall) async throws -> Void)?
  /// The errors of canceled coroutines so far.
  var closeErrors = 0
}
