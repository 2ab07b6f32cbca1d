import CLua
import CLuaShims
package import HostLoop

/// A coroutine of a script, as a debugger sees it: one that the host drives, or one that the script has made.
package struct ScriptCoroutine: Hashable {
  let stack: LuaStack
}

/// A call of the host with the coroutines that it runs in.
package struct ScriptCall {
  package let number: Int
  /// The call that started this one; nil for the script itself.
  package let parent: Int?
  /// The host function that it waits for, such as `http.get https://example.com`.
  package let waitsFor: String?
  /// The coroutine that runs or waits first, then those that have resumed it.
  package let coroutines: [ScriptCoroutine]
}

/// One level of the stack of a coroutine.
package struct ScriptFrame: Hashable {
  package let coroutine: ScriptCoroutine
  let level: Int32
  package let name: String
  /// The name of the chunk, such as `import.lua`; nil for code that is not Lua.
  package let source: String?
  package let line: Int
}

/// A variable that a frame can see.
package struct ScriptVariable {
  package enum Scope: Sendable { case local, upvalue }

  package let name: String
  package let value: LuaValue
  package let scope: Scope
  /// The number of the variable in its scope, as Lua counts.
  package let index: Int
}

/// Looks at the calls, the stacks and the variables of a state, and evaluates code while its coroutines are halted.
@HostActor
package struct Inspection {
  package let state: LuaState

  package init(_ state: LuaState) { self.state = state }

  private var stack: LuaStack { state.stack }
  private var host: UnsafeMutablePointer<luas_host> { state.host }

  /// All calls that have not ended, in the order in which they began.
  package var scriptCalls: [ScriptCall] {
    state.driven.values.sorted { $0.number < $1.number }.map { coroutine in
      ScriptCall(
        number: coroutine.number, parent: coroutine.parent, waitsFor: coroutine.waiting?.text,
        coroutines: chain(of: coroutine))
    }
  }

  /// True if code of a script runs at this moment, below the caller.
  package var isRunningCode: Bool { host.pointee.running != nil }

  /// The coroutines that scripts have begun, and that wait for somebody to resume them.
  package var pausedCoroutines: [ScriptCoroutine] {
    var list = [LuaStack?](repeating: nil, count: 200)
    let count = luas_unfinished(stack, &list, Int32(list.count))
    return list.prefix(min(list.count, Int(count))).compactMap { $0.map(ScriptCoroutine.init) }
  }

  private func chain(of coroutine: Coroutine) -> [ScriptCoroutine] {
    var chain = [LuaStack?](repeating: nil, count: 200)
    let count = Int(luas_chain(host, coroutine.stack, &chain, Int32(chain.count)))
    let found = chain.prefix(count).compactMap { $0.map(ScriptCoroutine.init) }
    // While a coroutine runs, the chain of another one is not that of the running one.
    return found.last?.stack == coroutine.stack ? found : [ScriptCoroutine(stack: coroutine.stack)]
  }

  /// The levels of the coroutines' stacks below `call`.
  package func depth(ofCall number: Int) -> Int {
    guard let coroutine = state.driven[number] else { return 0 }
    return chain(of: coroutine).reduce(0) { $0 + depth(of: $1) }
  }

  private func depth(of coroutine: ScriptCoroutine) -> Int {
    var frame = lua_Debug()
    var level: Int32 = 0
    while lua_getstack(coroutine.stack, level, &frame) != 0 { level += 1 }
    return Int(level)
  }

  /// The frames of a coroutine, the innermost first. Chunks of the host itself are left out.
  package func frames(of coroutine: ScriptCoroutine, most: Int = 1000) -> [ScriptFrame] {
    var frames: [ScriptFrame] = []
    var level: Int32 = 0
    while frames.count < most, let frame = frame(of: coroutine, level: level) {
      if frame.source != LuaState.hostChunk { frames.append(frame) }
      level += 1
    }
    return frames
  }

  /// The frame of the code that runs in a coroutine; nil for code of the host itself.
  package func innermostFrame(of coroutine: ScriptCoroutine) -> ScriptFrame? {
    frame(of: coroutine, level: 0).flatMap { $0.source == LuaState.hostChunk ? nil : $0 }
  }

  private func frame(of coroutine: ScriptCoroutine, level: Int32) -> ScriptFrame? {
    var about = lua_Debug()
    guard lua_getstack(coroutine.stack, level, &about) != 0, state.hasRoom(2, on: coroutine.stack),
      lua_getinfo(coroutine.stack, "nSlf", &about) != 0
    else { return nil }
    defer { luas_pop(coroutine.stack, 1) }
    let isLua = about.what.pointee != CChar(UInt8(ascii: "C"))
    let source = about.source.map { String(cString: $0) } ?? ""
    let called = about.name.map { String(cString: $0) }
    let name =
      luas_tofunction(coroutine.stack, -1).map { BoundFunction.at($0).function.name } ?? called
      ?? (isLua ? (about.linedefined == 0 ? "main chunk" : "function at line \(about.linedefined)") : "C function")
    return ScriptFrame(
      coroutine: coroutine, level: level, name: name,
      source: isLua ? String(source.drop { $0 == "@" || $0 == "=" }) : nil, line: Int(about.currentline))
  }

  /// The active local variables of a frame, without those that Lua itself needs; the extra arguments are named `...`.
  package func locals(of frame: ScriptFrame) -> [ScriptVariable] {
    variables(of: frame, from: 1, by: 1) + variables(of: frame, from: -1, by: -1)
  }

  private func variables(of frame: ScriptFrame, from first: Int32, by step: Int32) -> [ScriptVariable] {
    var about = lua_Debug()
    let stack = frame.coroutine.stack
    guard lua_getstack(stack, frame.level, &about) != 0, state.hasRoom(1, on: stack) else { return [] }
    var found: [ScriptVariable] = []
    var index = first
    while let name = lua_getlocal(stack, &about, index) {
      let text = String(cString: name)
      if step < 0 || !text.hasPrefix("(") {
        found.append(
          ScriptVariable(
            name: step < 0 ? "...\(-index)" : text, value: state.value(at: -1, of: stack), scope: .local,
            index: Int(index)))
      }
      luas_pop(stack, 1)
      index += step
    }
    return found
  }

  /// The variables of enclosing functions that a frame's function refers to, without the table of globals.
  package func upvalues(of frame: ScriptFrame) -> [ScriptVariable] {
    withFunction(of: frame) { stack in
      var found: [ScriptVariable] = []
      var index: Int32 = 1
      while let name = lua_getupvalue(stack, -1, index) {
        let text = String(cString: name)
        if text != "_ENV", !text.isEmpty {
          found.append(
            ScriptVariable(name: text, value: state.value(at: -1, of: stack), scope: .upvalue, index: Int(index)))
        }
        luas_pop(stack, 1)
        index += 1
      }
      return found
    } ?? []
  }

  /// The table that the frame's function has as its globals.
  package func globals(of frame: ScriptFrame) -> LuaTable {
    let environment = withFunction(of: frame) { stack -> LuaTable? in
      var index: Int32 = 1
      while let name = lua_getupvalue(stack, -1, index) {
        defer { luas_pop(stack, 1) }
        if String(cString: name) == "_ENV" { return state.value(at: -1, of: stack).table }
        index += 1
      }
      return nil
    }
    return (environment ?? nil) ?? state.globals
  }

  /// Sets a variable. Returns false if the frame has it no more.
  package func set(_ variable: ScriptVariable, of frame: ScriptFrame, to value: LuaValue) -> Bool {
    switch variable.scope {
    case .local:
      var about = lua_Debug()
      let stack = frame.coroutine.stack
      guard lua_getstack(stack, frame.level, &about) != 0, state.hasRoom(4, on: stack) else { return false }
      state.push(value, onto: stack)
      if lua_setlocal(stack, &about, Int32(variable.index)) != nil { return true }
      return false
    case .upvalue:
      return withFunction(of: frame) { stack in
        state.push(value, onto: stack)
        if lua_setupvalue(stack, -2, Int32(variable.index)) != nil { return true }
        luas_pop(stack, 1)
        return false
      } ?? false
    }
  }

  /// Calls `body` with the function of the frame on top of the main thread's stack; nil for a frame that has gone.
  private func withFunction<Result>(of frame: ScriptFrame, _ body: (LuaStack) -> Result) -> Result? {
    var about = lua_Debug()
    guard lua_getstack(frame.coroutine.stack, frame.level, &about) != 0, state.hasRoom(1, on: frame.coroutine.stack),
      lua_getinfo(frame.coroutine.stack, "f", &about) != 0
    else { return nil }
    state.reserve(6, on: stack)
    if frame.coroutine.stack != stack { lua_xmove(frame.coroutine.stack, stack, 1) }
    defer { luas_pop(stack, 1) }
    return body(stack)
  }

  /// Calls a function at once, while other coroutines are halted. Nobody watches the code.
  /// - Parameters:
  ///   - seconds: the time that it has.
  ///   - admit: asked before each host function; throws for one that may not be called.
  /// - Throws: `timeout`, `cannot_wait`, or the error of the function.
  package func evaluate(
    _ function: LuaFunction, _ arguments: [LuaValue] = [], seconds: Double,
    admitting admit: @escaping @HostActor (HostFunction) throws(LuaError) -> Void
  ) throws(LuaError) -> [LuaValue] {
    let coroutine = Coroutine(in: state)
    guard state.hasRoom(arguments.count + 1, on: coroutine.stack) else { throw LuaError.outOfMemory }
    let (outer, admitted, watcher) = (state.current, state.watching.beforeCall, host.pointee.watcher)
    (state.current, state.watching.beforeCall, host.pointee.watcher) = (nil, admit, nil)
    defer {
      (state.current, state.watching.beforeCall) = (outer, admitted)
      luas_setwatcher(host, watcher)
    }
    function.push(onto: coroutine.stack)
    for argument in arguments { state.push(argument, onto: coroutine.stack) }
    let alarm = EvaluationAlarm(seconds: seconds)
    let status = luas_resume(coroutine.stack, Int32(arguments.count))
    let isStopped = alarm.end() && luas_isstopping(host)
    defer { if isStopped { state.rearm() } }
    if status == LUA_OK { return state.values(from: 1, of: coroutine.stack) }
    let error = status == LUA_YIELD ? Self.pausing : state.takeError(from: coroutine.stack, keeping: true)
    _ = luas_closethread(coroutine.stack)
    if isStopped {
      throw LuaError(
        code: "timeout", message: "the evaluation took more than \(Int(seconds)) s and was stopped",
        hint: "does it loop without an end?")
    }
    throw error
  }

  private static let pausing = LuaError(
    code: "cannot_wait", message: "the evaluation would have to wait",
    hint: "while a script is halted, only functions that answer at once can be called")
}

/// Stops an evaluation that takes too long, from another thread.
private final class EvaluationAlarm: Sendable {
  private struct Progress {
    var isOver = false
    var hasRung = false
  }

  private let progress = Locked(Progress())

  @HostActor init(seconds: Double) {
    guard let signal = LuaState.stopSignal else { return }
    Task.detached { [progress] in
      try? await Task.sleep(for: .seconds(seconds))
      progress.withLock { progress in
        guard !progress.isOver else { return }
        progress.hasRung = true
        LuaState.ask(.stop, bySignal: signal)
      }
    }
  }

  /// Returns true if it has rung.
  func end() -> Bool {
    progress.withLock { progress in
      progress.isOver = true
      return progress.hasRung
    }
  }
}
