import CLuaShims
import HostLoop

/// Stops and other requests that reach a state while a script runs.
extension LuaState {
  /// Has `ask` reach this state, by the signal `number`, until it is closed.
  package func obey(signal number: Int32) {
    Self.obeying.append(self)
    Self.stopSignal = number
    luas_obey(host, number)
  }

  /// Asks it of the states that obey `signal`: at once of a script that computes. Scripts that wait are stopped by canceling
  /// their tasks. From any thread.
  package nonisolated static func ask(_ request: ScriptRequest, bySignal number: Int32) {
    luas_prepare(Int32(request == .stop ? LUAS_STOP : LUAS_REPORT))
    HostLoop.shared.send(signal: number)
  }

  /// True if scripts of this state have been stopped: calls throw `CancellationError`.
  package var isStopping: Bool { luas_isstopping(host) }

  /// True if a function of the host that takes long is to give up: a stopped script's `<close>` handlers get some time.
  package var mustStop: Bool { luas_muststop(host) }

  /// Lets scripts run again after a stop. Called when the call that was stopped has ended, such as between two inputs of a
  /// session: its first interruption stops the call, and the session goes on.
  package func rearm() { luas_rearm(host) }
}

/// A request of another thread to the script that runs.
package enum ScriptRequest: Sendable {
  /// To end: at the next instruction, or where C code looks for it.
  case stop
  /// To have `onReport` called, and to go on.
  case report
}
