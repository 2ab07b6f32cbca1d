import Core
import Files
import HostLoop
import Lua

/// The script that is debugged: its state, and the paths of its chunks.
@HostActor
final class DebugTarget {
  let state: LuaState
  let watch: Watch
  let values: ShownValues
  /// The paths of chunks by their names, as far as they are known.
  private var paths: [String: String?]
  private var frames: [Int: ScriptFrame] = [:]
  private var lastFrame = 0
  private var pausedNumbers: [ScriptCoroutine: Int] = [:]

  /// The numbers of coroutines that nobody runs begin here.
  private static let firstPaused = 1_000_000

  init(_ state: LuaState, watch: Watch, paths: [String: String]) {
    self.state = state
    self.watch = watch
    self.paths = paths
    values = ShownValues(state)
  }

  /// The path of a chunk; nil for one that is not a file.
  func path(of source: String) -> String? {
    if let known = paths[source] { return known }
    let path = FileSystem.realPath(source)
    paths[source] = path
    return path
  }

  /// Forgets what a client can ask for only while the script is halted.
  func forgetHalt() {
    values.forgetAll()
    frames = [:]
    pausedNumbers = [:]
  }

  func number(of frame: ScriptFrame) -> Int {
    lastFrame += 1
    frames[lastFrame] = frame
    return lastFrame
  }

  func frame(_ number: Int?) -> ScriptFrame? { number.flatMap { frames[$0] } }

  /// The calls and coroutines that a client shows as threads.
  var threads: [(number: Int, name: String)] {
    let calls = Inspection(state).scriptCalls.map { call in
      (call.number, (call.parent == nil ? "script" : "task \(call.number)") + (call.waitsFor.map { ": \($0)" } ?? ""))
    }
    let paused = Inspection(state).pausedCoroutines.map { coroutine -> (Int, String) in
      let number = pausedNumbers[coroutine] ?? Self.firstPaused + pausedNumbers.count
      pausedNumbers[coroutine] = number
      let place = Inspection(state).frames(of: coroutine).first { $0.source != nil }
      return (number, "coroutine" + (place.map { " at \($0.source ?? ""):\($0.line)" } ?? ""))
    }
    return calls + paused
  }

  /// The frames of a thread, the innermost first.
  func frames(ofThread number: Int) -> [ScriptFrame] {
    let coroutines =
      Inspection(state).scriptCalls.first { $0.number == number }?.coroutines
      ?? pausedNumbers.filter { $0.value == number }.map(\.key)
    return coroutines.flatMap { Inspection(state).frames(of: $0) }.filter {
      $0.source != nil || $0.name != "C function"
    }
  }
}

extension DebugTarget {
  static func realPath(_ path: String) -> String { FileSystem.realPath(path) ?? path }

  /// Sets a variable or an entry of a table.
  func set(_ name: String, in holder: ShownValues.Holder, to value: LuaValue) throws(LuaError) {
    let missing = LuaError(code: "no_variable", message: "there is no variable '\(name)' that can be set")
    switch holder {
    case .locals(let frame):
      let variable = Inspection(state).locals(of: frame).last { $0.name == name }
      guard let variable, Inspection(state).set(variable, of: frame, to: value) else { throw missing }
    case .upvalues(let frame):
      let variable = Inspection(state).upvalues(of: frame).last { $0.name == name }
      guard let variable, Inspection(state).set(variable, of: frame, to: value) else { throw missing }
    case .globals(let frame): Inspection(state).globals(of: frame)[name] = value
    case .table(let table):
      if table.metatable?["__metatable"].boolean == false {
        throw LuaError(code: "read_only", message: "the table belongs to the program and is read-only")
      }
      table[try key(name)] = value
    case .object: throw missing
    }
  }

  /// The key that a variable of a table was shown with: a name, or `[1]`.
  private func key(_ name: String) throws(LuaError) -> LuaValue {
    guard name.hasPrefix("["), name.hasSuffix("]") else { return .string(name) }
    let chunk = try state.load(Array("return \(name.dropFirst().dropLast())\n".utf8), name: "key")
    return try Inspection(state).evaluate(chunk, seconds: 1) { _ in }.first ?? .nil
  }
}
