import Core
import Debugger
import HostLoop
import Lua

/// The place where a script is halted on a terminal, and the frame whose variables the person looks at.
@HostActor
final class DebugPlace {
  /// The next step of the script.
  enum Answer {
    case goOn, quit
    case step(Step.Kind)
  }

  let frames: [ScriptFrame]
  private let state: LuaState
  private var chosen = 0

  init(call number: Int, in state: LuaState) {
    self.state = state
    let coroutines = Inspection(state).scriptCalls.first { $0.number == number }?.coroutines ?? []
    frames = coroutines.flatMap { Inspection(state).frames(of: $0) }.filter { $0.source != nil }
  }

  var frame: ScriptFrame? { frames.indices.contains(chosen) ? frames[chosen] : nil }

  /// `import.lua:12 in work`
  var title: String { frame.map(Self.text) ?? "no Lua code" }

  private static func text(_ frame: ScriptFrame) -> String { "\(frame.source ?? ""):\(frame.line) in \(frame.name)" }

  func environment() throws(LuaError) -> LuaTable { try FrameEvaluation(frame, in: state).environment() }

  /// The answer to a line that begins with a colon: a text to show, or what is to happen next.
  func answer(_ line: String) -> (text: String?, next: Answer?) {
    switch line {
    case ":c", ":continue": return (nil, .goOn)
    case ":s", ":step": return (nil, .step(.into))
    case ":n", ":next": return (nil, .step(.over))
    case ":o", ":out": return (nil, .step(.out))
    case ":q", ":quit": return (nil, .quit)
    case ":bt": return (backtrace, nil)
    case ":up": return (choose(chosen + 1, "the outermost frame is shown already"), nil)
    case ":down": return (choose(chosen - 1, "the innermost frame is shown already"), nil)
    case ":locals": return (variables, nil)
    default:
      let known = [":continue", ":step", ":next", ":out", ":bt", ":up", ":down", ":locals", ":quit"]
      let near = nearestName(to: line, in: known).map { "; did you mean \($0)?" } ?? ""
      return ("there is no command \(line)\(near) There are \(known.joined(separator: ", ")).", nil)
    }
  }

  private var backtrace: String {
    frames.enumerated().map { "\($0 == chosen ? ">" : " ") \(Self.text($1))" }.joined(separator: "\n")
  }

  private func choose(_ index: Int, _ refusal: String) -> String {
    guard frames.indices.contains(index) else { return refusal }
    chosen = index
    return title
  }

  private var variables: String {
    guard let frame else { return "no variables" }
    let found = Inspection(state).locals(of: frame) + Inspection(state).upvalues(of: frame)
    return found.isEmpty
      ? "no variables" : found.map { "\($0.name) = \(ShownValues.text(of: $0.value))" }.joined(separator: "\n")
  }
}
