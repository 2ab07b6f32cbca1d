import HostLoop
import Lua

/// A step that a client has asked for: where the script halts next.
struct Step {
  enum Kind { case into, over, out }

  let kind: Kind
  /// The call of the host in which the step began.
  let call: Int
  /// The depth of its stack then.
  let depth: Int
  /// The latest call that had begun then: a later one may have been started by the line that is stepped into.
  let latestCall: Int

  /// True if the script is to halt at a line that is reached.
  @HostActor func ends(at moment: Moment) -> Bool {
    guard moment.call == call else { return kind == .into && moment.call > latestCall }
    switch kind {
    case .into: return true
    case .over: return moment.state.depth(ofCall: call) <= depth
    case .out: return moment.state.depth(ofCall: call) < depth
    }
  }
}
