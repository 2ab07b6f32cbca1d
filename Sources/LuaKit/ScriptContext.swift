package import Automation
package import HostLoop
package import Lua

/// The run of a script and its Lua state, as the modules of scripts have them.
@HostActor
package struct ScriptContext: Sendable {
  package let run: ScriptRun
  package let state: LuaState
  package let json: JSONMarshal

  /// The context of a run whose script has this state.
  package init(_ run: ScriptRun, _ state: LuaState) {
    self.run = run
    self.state = state
    json = JSONMarshal(state)
  }

  /// The session of the run.
  package var session: Session { run.session }

  /// A JSON array of texts.
  package func list(_ texts: [String]) -> LuaValue {
    .list(texts.map { .string($0) }, metatable: json.arrayMetatable)
  }
}
