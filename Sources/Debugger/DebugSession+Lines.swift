import HostLoop
import Lua
import LuaKit

/// The decision whether a line halts the script.
extension DebugSession {
  /// Remembers a call of a function with a breakpoint: the script halts at the first line of the function.
  func noteCall(_ moment: Moment) {
    guard halt == nil, let frame = Inspection(moment.state).innermostFrame(of: moment.coroutine),
      let id = breakpoints.function(named: frame.name)
    else { return }
    next = Halt(
      reason: "function breakpoint", call: moment.call, description: "call of \(frame.name)", breakpoints: [id])
    refreshWatch()
  }

  func reasonToHalt(at line: Int, _ moment: Moment) -> Halt? {
    guard let frame = Inspection(moment.state).innermostFrame(of: moment.coroutine), let source = frame.source else {
      return nil
    }
    if let next, next.call == moment.call || next.call == 0 {
      return Halt(
        reason: next.reason, call: moment.call, description: next.description, breakpoints: next.breakpoints)
    }
    if let path = target?.path(of: source) {
      let reached = breakpoints.reach(path, line).filter { isMet($0, frame, path, moment) }
      if !reached.isEmpty { return Halt(reason: "breakpoint", call: moment.call, breakpoints: reached.map(\.id)) }
    }
    guard let step, step.ends(at: moment) else { return nil }
    return Halt(reason: step.call < 0 ? "entry" : "step", call: moment.call)
  }

  /// True if the breakpoint halts the script. One with a log message does not; it writes its message.
  private func isMet(_ point: Breakpoint, _ frame: ScriptFrame, _ path: String, _ moment: Moment) -> Bool {
    let evaluation = FrameEvaluation(frame, in: moment.state)
    do {
      if let condition = point.condition, try evaluation.values(of: condition).first?.isTrue != true { return false }
    } catch {
      channel.send(
        output: "the condition '\(point.condition ?? "")' failed: \(error.message)\n", "stderr",
        line: (path, point.line))
      return point.logMessage == nil
    }
    guard let message = point.logMessage else { return true }
    channel.send(output: Self.filled(message, evaluation) + "\n", "console", line: (path, point.line))
    return false
  }

  /// A log message with the values of the expressions in braces.
  private static func filled(_ message: String, _ evaluation: FrameEvaluation) -> String {
    var text = ""
    var rest = message[...]
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      text += rest[..<start]
      let expression = String(rest[rest.index(after: start)..<end])
      do {
        text += try evaluation.values(of: expression).map { $0.string ?? ShownValues.text(of: $0) }
          .joined(separator: ", ")
      } catch { text += "{\(error.message)}" }
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }
}
