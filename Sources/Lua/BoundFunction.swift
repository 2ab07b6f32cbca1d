import CLua
import CLuaShims
import HostLoop

/// A host function in one Lua state: what the C trampoline calls.
@HostActor
final class BoundFunction {
  let function: HostFunction
  /// The object it is called for, where the script does not give it.
  private let receiver: (any LuaObject)?
  private unowned let state: LuaState

  init(_ function: HostFunction, of receiver: (any LuaObject)? = nil, in state: LuaState) {
    self.function = function
    self.receiver = receiver
    self.state = state
  }

  /// As C calls them on the loop's thread. Cast once: `HostActor.assumeIsolated` allocates at every call.
  nonisolated static let entries = unsafeBitCast(
    IsolatedEntries(invoke: { $0.invoke($1) }, complete: { $0.complete($1) }), to: Entries.self)

  private struct IsolatedEntries {
    let invoke: @HostActor @Sendable (BoundFunction, LuaStack) -> Int32
    let complete: @HostActor @Sendable (BoundFunction, LuaStack) -> Int32
  }

  struct Entries: Sendable {
    let invoke: @Sendable (BoundFunction, LuaStack) -> Int32
    let complete: @Sendable (BoundFunction, LuaStack) -> Int32
  }

  nonisolated static func at(_ pointer: UnsafeMutableRawPointer?) -> BoundFunction {
    Unmanaged<BoundFunction>.fromOpaque(pointer!).takeUnretainedValue()
  }

  /// Runs with the arguments on `stack`; answers as `luas_invoke` says.
  func invoke(_ stack: LuaStack) -> Int32 {
    do {
      state.freeReleasedInNumbers()
      state.counts.read = 0
      try state.watching.beforeCall?(function)
      let arguments = try arguments(on: stack)
      switch function.body {
      case .question(let body): return try push([.boolean(body())], onto: stack)
      case .immediate(let body):
        guard let profiler = state.watching.profiler else { return try push(try body(arguments), onto: stack) }
        return try push(try profiler.measure(function.name, on: stack) { try body(arguments) }, onto: stack)
      case .suspending(let body):
        try state.beforeWaiting?(function)
        guard lua_isyieldable(stack) != 0, state.host.pointee.can_wait, let coroutine = state.current else {
          throw cannotWait
        }
        let call = HostCall(function.name, on: stack, state, coroutine: coroutine.number)
        coroutine.pending = {
          defer { call.end() }
          return try await HostCall.$current.withValue(call) { try await body(arguments) }
        }
        coroutine.waiting = WaitingCall(arguments: arguments)
        state.watching.profiler?.suspends(stack, in: function.name)
        return Int32(LUAS_SUSPEND)
      }
    } catch { return raise(error, onto: stack) }
  }

  /// Runs when the coroutine goes on: delivers what came of the asynchronous part.
  func complete(_ stack: LuaStack) -> Int32 {
    state.watching.profiler?.goesOn(stack)
    guard let outcome = state.current?.outcome else {
      return raise(LuaError(code: "host_error", message: "\(function.name): returned without a result"), onto: stack)
    }
    state.current?.outcome = nil
    do { return try push(try outcome.get(), onto: stack) } catch { return raise(error, onto: stack) }
  }

  private func arguments(on stack: LuaStack) throws(LuaError) -> Arguments {
    let count = lua_gettop(stack)
    if count == 0, function.parameters.isEmpty, receiver == nil {
      return Arguments(values: [], options: [:], function, state)
    }
    var values = count == 0 ? [] : (1...count).map { state.value(at: $0, of: stack) }
    // A call with a colon means the same.
    if let receiver, case .object(let first)? = values.first, first === receiver { values.removeFirst() }
    var arguments = try Arguments(checking: &values, for: function, state)
    arguments.receiver = receiver
    return arguments
  }

  private func push(_ results: [LuaValue], onto stack: LuaStack) throws(LuaError) -> Int32 {
    if let inspect = state.inspectResults { try inspect(function, results) }
    if results.isEmpty { return 0 }
    guard state.hasRoom(results.count, on: stack) else {
      throw LuaError(
        code: "stack_overflow", message: "\(function.name): the Lua stack has no room for \(results.count) results",
        hint: "call it with less recursion above it, or with fewer values at once")
    }
    for result in results { state.push(result, onto: stack) }
    return Int32(results.count)
  }

  private func raise(_ error: any Error, onto stack: LuaStack) -> Int32 {
    state.pushError(error, onto: stack)
    return Int32(LUAS_RAISE)
  }

  private var cannotWait: LuaError {
    LuaError(
      code: "cannot_wait",
      message: "\(function.name) has to wait, and Lua cannot pause here: inside table.sort, a string.gsub function "
        + "or a metamethod",
      hint: "call it before, keep its result, and use that here")
  }
}

extension LuaState {
  /// The declaration of a host function; nil for a function of a script or of Lua.
  package func declaration(of function: LuaFunction) -> HostFunction? {
    reserve(2, on: stack)
    function.push(onto: stack)
    defer { luas_pop(stack, 1) }
    return luas_tofunction(stack, -1).map { BoundFunction.at($0).function }
  }

  /// A Lua function that runs `function` and goes when the script lets go of it; for functions made in numbers.
  /// - Parameter receiver: what its `Arguments` have as `receiver`.
  package func closure(_ function: HostFunction, of receiver: (any LuaObject)? = nil) -> LuaFunction {
    reserve(4, on: stack)
    let bound = BoundFunction(function, of: receiver, in: self)
    luas_pushclosure(stack, Unmanaged.passRetained(bound).toOpaque(), ownerMetatable)
    return LuaFunction(state: self, poppingFrom: stack)
  }

  /// A Lua function that runs `function`, for as long as the state lives.
  package func function(_ function: HostFunction) -> LuaFunction {
    reserve(2, on: stack)
    if case .question(let body) = function.body {
      let question = BoundQuestion(body)
      bound.append(question)
      luas_pushquestion(stack, Unmanaged.passUnretained(question).toOpaque())
    } else {
      let function = BoundFunction(function, in: self)
      bound.append(function)
      luas_pushfunction(stack, Unmanaged.passUnretained(function).toOpaque())
    }
    return LuaFunction(state: self, poppingFrom: stack)
  }
}

/// A host function that takes nothing and answers yes or no: nothing is allocated, no reference counted.
final class BoundQuestion {
  private let body: () -> Bool

  init(_ body: @escaping @HostActor @Sendable () -> Bool) {
    // Only `ask` calls it, which C calls on the loop's thread: the isolation it drops here is a fact there. The structs
    // keep the compiler from putting a thunk around the function, as it would around a function cast by itself.
    self.body = unsafeBitCast(Isolated(body: body), to: Plain.self).body
  }

  private struct Isolated { let body: @HostActor @Sendable () -> Bool }
  private struct Plain { let body: () -> Bool }

  static func ask(_ pointer: UnsafeMutableRawPointer?) -> Bool {
    Unmanaged<BoundQuestion>.fromOpaque(pointer!)._withUnsafeGuaranteedRef { $0.body() }
  }
}
