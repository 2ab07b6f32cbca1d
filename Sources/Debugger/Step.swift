package import HostLoop
package import Lua

/// A step that a client has asked for: where the script halts next.
package struct Step {
  package enum Kind: Sendable { case into, over, out }

  package let kind: Kind
  /// The call of the host in which the step began.
  package let call: Int
  /// The depth of its stack then.
  let depth: Int
  /// The latest call that had begun then: a later one may have been started by the line that is stepped into.
  let latestCall: Int

  /// - Parameters:
  ///   - call: the call of the host that steps.
  ///   - latestCall: the latest call; a later one may be stepped into.
  package init(kind: Kind, call: Int, depth: Int, latestCall: Int) {
    self.kind = kind
    self.call = call
    self.depth = depth
    self.latestCall = latestCall
  }

  /// A step from where a call stands now.
  @HostActor package init(_ kind: Kind, from call: Int, in state: LuaState) {
    self.init(
      kind: kind, call: call, depth: Inspection(state).depth(ofCall: call),
      latestCall: Inspection(state).scriptCalls.last?.number ?? 0)
  }

  /// True if the script is to halt at a line that is reached.
  @HostActor package func ends(at moment: Moment) -> Bool {
    guard moment.call == call else { return kind == .into && moment.call > latestCall }
    switch kind {
    case .into: return true
    case .over: return Inspection(moment.state).depth(ofCall: call) <= depth
    case .out: return Inspection(moment.state).depth(ofCall: call) < depth
    }
  }
}
