import CLuaShims
import Core
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
  /// The number of the coroutine, in the order in which they began; of those of the script's own, that they run in.
  package nonisolated let coroutine: Int
  /// The call that waits for this one's coroutine; nil for those of the script itself, and where the way there is long.
  package nonisolated let caller: HostCall?
  private nonisolated let depth: Int
  /// The number of host calls that lie around each other here, this one included, with functions of a script between.
  package nonisolated let nesting: Int

  /// No more calls are kept than lead here, for a coroutine that starts another, and so on, would keep them all.
  private static let longestWay = 8

  init(_ name: String, on stack: LuaStack, _ state: LuaState, coroutine: Int) {
    self.name = name
    self.stack = stack
    self.state = state
    self.coroutine = coroutine
    nesting = (Self.current?.nesting ?? 0) + 1
    let caller = Self.current.flatMap { $0.depth < Self.longestWay ? $0 : nil }
    self.caller = caller
    depth = caller.map { $0.depth + 1 } ?? 0
  }

  /// Script and line: `import.lua:12`. Nil when the call is over.
  package var place: String? { stack.flatMap(state.place) }

  var waitingStack: LuaStack? { stack }

  /// The coroutine that waits for it; nil when the call is over.
  package var waitingCoroutine: ScriptCoroutine? { stack.map { ScriptCoroutine(stack: $0) } }

  func end() { stack = nil }
}

extension LuaState {
  /// Script and line of the code that runs at this moment, or waits for the host function that runs.
  package var place: String? { host.pointee.running.flatMap { place(on: $0) } ?? HostCall.current?.place }
}

/// A call of a host function that waits: what a report says of it.
struct WaitingCall {
  let arguments: Arguments

  var name: String { arguments.function.name }

  /// `async.sleep, 30 s`, `http.get https://example.com/tasks`: the name, and of the arguments a time or an address without
  /// its query. Others may be long, or nobody's business.
  @HostActor var text: String {
    let function = arguments.function
    for (index, parameter) in function.parameters.enumerated() {
      if let text = Self.text(arguments[index], parameter.name) { return function.name + text }
      for key in parameter.type.optionKeys ?? [] {
        if let text = Self.text(arguments[key.name], key.name) { return function.name + text }
      }
    }
    return function.name
  }

  @HostActor private static func text(_ value: LuaValue, _ name: String) -> String? {
    switch name {
    case "seconds": value.number.map { ", \(Int64(exactly: $0).map(String.init) ?? "\($0)") s" }
    case "url": value.string.map { " " + WebAddress($0).shown }
    default: nil
    }
  }
}
