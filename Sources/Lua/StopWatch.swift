import HostLoop
import Synchronization

/// Looks, from another thread, whether scripts that were told to stop do. No call is spared: Lua's C code has a moment to come
/// back, a host function a little more, and all of it together a limit.
package struct StopWatch: Sendable {
  /// Seconds that a script has to stop, before anybody looks whether it does.
  package static let patience = 0.02
  /// Seconds between two looks.
  package static let pause = 0.005
  /// Seconds in which a run has to end that goes on to do one thing after the other: more than an import has for the answers
  /// that are due.
  private static let mostPatience = 30.0

  private let signal: Int32
  private let deadline = HostLoop.uptime + mostPatience
  private var stall = StallWatch(mostComputing: 0.5, mostWaiting: 4)

  /// - Parameter signal: what states obey, see `LuaState.obey`.
  package init(signal: Int32) { self.signal = signal }

  /// Where the script stands that does not stop; nil while there is hope. With an answer, the process is to be ended.
  package mutating func stuckPlace() -> ScriptPlace? {
    if let place = LuaState.stuckPlace(bySignal: signal) { return place }
    guard stall.hasStalled() || HostLoop.uptime > deadline else { return nil }
    return LuaState.finalPlace(bySignal: signal) ?? ScriptPlace(line: "", call: "")
  }

  private static let onStuck = Mutex<(@Sendable (ScriptPlace) -> Void)?>(nil)

  /// From now on `action` ends the process where a script does not stop.
  package static func whenStuck(_ action: @escaping @Sendable (ScriptPlace) -> Void) {
    onStuck.withLock { $0 = action }
  }

  /// Ends the process if the script does not stop.
  mutating func endIfStuck() {
    if let place = stuckPlace(), let end = Self.onStuck.withLock({ $0 }) { end(place) }
  }
}
