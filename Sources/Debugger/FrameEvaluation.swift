package import HostLoop
package import Lua

/// Evaluates texts with the variables of a frame.
@HostActor
package struct FrameEvaluation {
  /// The seconds that an evaluation may take.
  private static let seconds = 2.0
  /// Functions that give a secret as text.
  private static let revealing: Set<String> = ["secret:reveal"]

  private let state: LuaState
  private let frame: ScriptFrame?

  /// - Parameter frame: nil for the globals alone.
  package init(_ frame: ScriptFrame?, in state: LuaState) {
    self.frame = frame
    self.state = state
  }

  /// The values of an expression, or of statements.
  package func values(of text: String) throws(LuaError) -> [LuaValue] {
    let chunk: LuaFunction
    if let expression = try? state.load(Array("return \(text)\n".utf8), name: Self.name) {
      chunk = expression
    } else {
      chunk = try state.load(Array(text.utf8), name: Self.name)
    }
    chunk.setEnvironment(try environment())
    return try Inspection(state).evaluate(chunk, extraArguments, seconds: Self.seconds, admitting: Self.admit)
  }

  /// The chunk's name in messages.
  package static let name = "evaluation"

  private static func admit(_ function: HostFunction) throws(LuaError) {
    guard revealing.contains(function.name) else { return }
    throw LuaError(
      code: "permission_denied", message: "\(function.name) is refused in a debugger: a secret is not shown as text",
      hint: "let the script itself use the secret")
  }

  private var extraArguments: [LuaValue] {
    guard let frame else { return [] }
    return Inspection(state).locals(of: frame).filter { $0.index < 0 }.map(\.value)
  }

  /// A table that reads and writes the variables of the frame, and after them the globals.
  package func environment() throws(LuaError) -> LuaTable {
    guard let frame else { return state.globals }
    let source = """
      local find, set, globals = ...
      return setmetatable({}, {
        __index = function(_, name)
          local is_there, value = find(name)
          if is_there then return value end
          return globals[name]
        end,
        __newindex = function(_, name, value)
          if not set(name, value) then globals[name] = value end
        end,
      })
      """
    let make = try state.load(Array(source.utf8), name: LuaState.hostChunk)
    let state = state
    let find = HostFunction("find", "", [Parameter("name", .any)]) { arguments in
      guard let variable = Self.variable(arguments[0].string, of: frame, in: state) else { return [.boolean(false)] }
      return [.boolean(true), variable.value]
    }
    let set = HostFunction("set", "", [Parameter("name", .any), Parameter("value", .any, optional: true)]) {
      arguments in
      guard let variable = Self.variable(arguments[0].string, of: frame, in: state) else { return [.boolean(false)] }
      return [.boolean(Inspection(state).set(variable, of: frame, to: arguments[1]))]
    }
    let parts: [LuaValue] = [
      .function(state.closure(find)), .function(state.closure(set)), .table(Inspection(state).globals(of: frame)),
    ]
    let made = try Inspection(state).evaluate(make, parts, seconds: Self.seconds) { _ in }
    return made.first?.table ?? state.globals
  }

  /// The innermost variable of this name.
  package static func variable(_ name: String?, of frame: ScriptFrame, in state: LuaState) -> ScriptVariable? {
    Inspection(state).locals(of: frame).last { $0.name == name && $0.index > 0 }
      ?? Inspection(state).upvalues(of: frame).last { $0.name == name }
  }
}
