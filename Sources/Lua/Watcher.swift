import CLua
import CLuaShims
package import HostLoop

/// Watches the code of a state while it runs: a debugger, or a measurement.
@HostActor
package protocol Watcher: AnyObject {
  /// Sees a line, a call or a return. Returns true to halt the coroutine there: `goesOn` is awaited before it continues.
  func halts(at moment: Moment) -> Bool
  /// Sees an error that a `pcall` is about to catch. The coroutine cannot be suspended here.
  func sees(error: LuaError, at moment: Moment)
  /// Sees an error that ends a call of the host, before the stack of the coroutine unwinds.
  func ends(call number: Int, with error: LuaError, in coroutine: ScriptCoroutine) async
  /// Waits until the coroutines of the state may continue. Throws `CancellationError` if the task is canceled meanwhile.
  func goesOn() async throws
  /// True if no coroutine may continue at this moment.
  var isHolding: Bool { get }
  /// A call of the host has ended, with all its frames.
  func ended(call number: Int, startedBy parent: Int?)
}

/// A moment in which the code of a script runs.
@HostActor
package struct Moment {
  package enum Event: Sendable {
    case line(Int)
    case call, end
  }

  package let event: Event
  package let coroutine: ScriptCoroutine
  /// The number of the call of the host in which it runs; 0 if it is unknown.
  package let call: Int
  package let state: LuaState

  /// True if the coroutine can be suspended here: not within `table.sort`, a metamethod or a finalizer.
  package var canHalt: Bool { luas_canhalt(coroutine.stack) }
}

/// The lines and events that a watcher gets.
@HostActor
package final class Watch {
  let content: UnsafeMutablePointer<luas_watcher>
  private unowned let state: LuaState

  init(_ state: LuaState) {
    self.state = state
    content = .allocate(capacity: 1)
    content.initialize(to: luas_watcher())
    content.pointee.see = Self.see
    content.pointee.raised = Self.raised
  }

  isolated deinit {
    if let cover = content.pointee.cover { luas_freecover(cover) }
    content.deallocate()
  }

  /// True if the watcher gets every line, not only those of `setLines`.
  package var wantsEveryLine: Bool {
    get { content.pointee.wants_every_line }
    set { content.pointee.wants_every_line = newValue }
  }

  /// True if the watcher gets the errors that a `pcall` catches.
  package var wantsErrors: Bool {
    get { content.pointee.wants_errors }
    set { content.pointee.wants_errors = newValue }
  }

  /// Sets the events that hooks are set for. Without events, a script runs at full speed.
  package func setEvents(lines: Bool, calls: Bool) {
    content.pointee.mask = (lines ? LUA_MASKLINE : 0) | (calls ? LUA_MASKCALL | LUA_MASKRET : 0)
    luas_setwatcher(state.host, content)
  }

  /// Sets the lines, of any chunk, that the watcher gets.
  package func setLines(_ lines: some Sequence<Int>) {
    luas_forgetlines(content)
    for line in lines { luas_wantline(content, Int32(truncatingIfNeeded: line)) }
  }

  /// Has watchers of all states get every line, until the next call. From any thread.
  package nonisolated static func callAttention(_ isWanted: Bool) { luas_callattention(isWanted) }

  private typealias Host = UnsafeMutablePointer<luas_host>?
  private typealias Activation = UnsafeMutablePointer<lua_Debug>?

  private nonisolated static let see: luas_see = { isolatedSee($0, $1, $2) }
  private nonisolated static let raised: luas_raised = { isolatedRaised($0, $1) }

  /// The thread is the loop's, without Swift knowing it.
  private nonisolated static let isolatedSee = unsafeBitCast(
    { sees($0, $1, $2) } as @HostActor @Sendable (Host, LuaStack?, Activation) -> Bool,
    to: (@Sendable (Host, LuaStack?, Activation) -> Bool).self)
  private nonisolated static let isolatedRaised = unsafeBitCast(
    { seesError($0, $1) } as @HostActor @Sendable (Host, LuaStack?) -> Void,
    to: (@Sendable (Host, LuaStack?) -> Void).self)

  private static func sees(_ host: Host, _ stack: LuaStack?, _ activation: Activation) -> Bool {
    guard let state = state(of: host), let watcher = state.watching.watcher, let stack, let activation else {
      return false
    }
    return watcher.halts(at: moment(in: state, on: stack, event(activation)))
  }

  private static func seesError(_ host: Host, _ stack: LuaStack?) {
    guard let state = state(of: host), let watcher = state.watching.watcher, let stack else { return }
    watcher.sees(error: error(onTopOf: stack, in: state), at: moment(in: state, on: stack, .end))
  }

  private static func event(_ activation: UnsafeMutablePointer<lua_Debug>) -> Moment.Event {
    switch activation.pointee.event {
    case LUA_HOOKLINE: .line(Int(activation.pointee.currentline))
    case LUA_HOOKRET: .end
    default: .call
    }
  }
}

extension Watch {
  /// Has the lines counted; returns false without memory.
  func count() -> Bool {
    content.pointee.cover = luas_makecover()
    setEvents(lines: true, calls: false)
    return content.pointee.cover != nil
  }
}

extension Watch {
  /// Begins to watch the code that a state runs. The events are chosen with `setEvents`.
  package static func begin(on state: LuaState, by watcher: any Watcher) -> Watch {
    let watch = Watch(state)
    state.watching.watch = watch
    state.watching.watcher = watcher
    luas_setwatcher(state.host, watch.content)
    return watch
  }

  private static func state(of host: Host) -> LuaState? {
    host?.pointee.owner.map { Unmanaged<LuaState>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func moment(in state: LuaState, on stack: LuaStack, _ event: Moment.Event) -> Moment {
    Moment(event: event, coroutine: ScriptCoroutine(stack: stack), call: state.current?.number ?? 0, state: state)
  }

  private static func error(onTopOf stack: LuaStack, in state: LuaState) -> LuaError {
    state.reserve(1, on: stack)
    lua_pushvalue(stack, -1)
    return state.takeError(from: stack, keeping: false)
  }
}

/// Who watches a state, and its calls of the host.
struct Watching {
  /// Called before each host function. Its error becomes the function's.
  var beforeCall: (@HostActor (HostFunction) throws(LuaError) -> Void)?
  /// Looks at what every call of a host function returns, and may refuse it.
  var inspectResults: (@HostActor (HostFunction, [LuaValue]) throws(LuaError) -> Void)?
  /// Watches the code; nil for nobody.
  weak var watcher: (any Watcher)?
  var watch: Watch?
  /// Measures the scripts; nil for nobody.
  var profiler: Profiler?
}
