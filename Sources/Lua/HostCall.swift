import CLuaShims
package import HostLoop

/// The call of a host function that may wait, for what it does meanwhile: who wants that, and where.
@HostActor
package final class HostCall: Sendable {
  @TaskLocal package static var current: HostCall?

  /// As scripts write it: `http.get`.
  package nonisolated let name: String
  /// The coroutine that waits for it; nil when it does not wait any more.
  private var stack: LuaStack?
  private unowned let state: LuaState

  init(_ name: String, on stack: LuaStack, _ state: LuaState) {
    self.name = name
    self.stack = stack
    self.state = state
  }

  /// Script and line: `import.lua:12`. Nil when the call is over.
  package var place: String? { stack.flatMap(state.place) }

  func end() { stack = nil }
}

extension LuaState {
  /// Script and line of the code that runs at this moment, or waits for the host function that runs.
  package var place: String? {
    host.pointee.running.flatMap { place(on: $0) } ?? HostCall.current?.place
  }
}
