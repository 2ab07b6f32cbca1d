import Automation
import Debugger
package import HostLoop
package import Lua
import Terminal

/// The debugger on a terminal: `b2c.debug()` halts the script and opens a session with the variables of its place.
@HostActor
package final class TerminalDebugger {
  private let session: Session
  private let state: LuaState
  private var watch: Watch?
  private var step: Step?
  /// The call that a line has halted.
  private var halted: Int?

  package init(_ session: Session, in state: LuaState) {
    self.session = session
    self.state = state
  }

  /// Opens the session for a call of the host that waits, and returns when the script continues.
  /// - Throws: `CancellationError` if the person ends the script.
  package func open(at call: Int) async throws {
    HaltClock.begin()
    defer { HaltClock.end() }
    // The lines of the session are not stepped through.
    follow(nil)
    switch try await session.debug(DebugPlace(call: call, in: state)) {
    case .goOn: break
    case .quit: throw CancellationError()
    case .step(let kind): follow(Step(kind, from: call, in: state))
    }
  }

  /// Watches every line while a step lasts.
  private func follow(_ step: Step?) {
    self.step = step
    if step != nil, watch == nil { watch = Watch.begin(on: state, by: self) }
    watch?.wantsEveryLine = step != nil
    watch?.setEvents(lines: step != nil, calls: false)
  }
}

extension TerminalDebugger: Watcher {
  package var isHolding: Bool { false }

  package func halts(at moment: Moment) -> Bool {
    guard let step, moment.canHalt, Inspection(moment.state).innermostFrame(of: moment.coroutine) != nil,
      step.ends(at: moment)
    else { return false }
    halted = moment.call
    return true
  }

  package func goesOn() async throws {
    guard let call = halted else { return }
    halted = nil
    try await self.open(at: call)
  }

  package func ended(call number: Int, startedBy parent: Int?) {
    guard let step, step.call == number else { return }
    follow(parent.map { Step(kind: .into, call: $0, depth: 0, latestCall: .max) })
  }

  package func sees(error: LuaError, at moment: Moment) {}
  package func ends(call number: Int, with error: LuaError, in coroutine: ScriptCoroutine) async {}
}
