import CLua
import CLuaShims
import HostLoop

/// A Lua coroutine that the host drives: one call of a function from Swift.
@HostActor
final class Coroutine {
  /// About what one takes besides Lua's memory while it runs, in bytes: tasks, continuations, timers.
  static let weight = 4 << 10

  let stack: LuaStack
  /// Keeps it from being collected.
  private let anchor: LuaReference
  /// Counts the calls that coroutines were driven for.
  var number = 0
  /// The number of the call that started this one; nil for the script itself.
  var parent: Int?
  var pending: (@HostActor () async throws -> [LuaValue])?
  var waiting: WaitingCall?
  var scope: CallScope?
  /// The result of the operation, until the continuation has pushed it.
  var outcome: Result<[LuaValue], any Error>?

  init(in state: LuaState) {
    state.reserve(1, on: state.stack)
    stack = lua_newthread(state.stack)
    anchor = LuaReference(state: state, poppingFrom: state.stack)
  }
}

extension LuaState {
  /// Runs `function` to its end. Whenever it is suspended by a host function, that function's asynchronous part runs
  /// here, in the caller's Swift task, with no Lua frame below it: canceling the task cancels it.
  func run(_ function: LuaFunction, _ arguments: [LuaValue]) async throws -> [LuaValue] {
    try Task.checkCancellation()
    if let watcher = watching.watcher, watcher.isHolding { try await watcher.goesOn() }
    let held = owner?.object
    guard !isClosed, held != nil || owner == nil else { throw LuaError.closed }
    defer { withExtendedLifetime(held) {} }
    try function.demandRoomToNest()
    try demandMemory(Coroutine.weight)
    let coroutine = idle.popLast() ?? Coroutine(in: self)
    let stack = coroutine.stack
    lastNumber += 1
    let number = lastNumber
    coroutine.number = number
    coroutine.parent = HostCall.current?.coroutine
    driven[number] = coroutine
    host.pointee.used += Coroutine.weight
    defer {
      driven[number] = nil
      watching.watcher?.ended(call: number, startedBy: coroutine.parent)
      host.pointee.used -= Coroutine.weight
    }
    guard hasRoom(arguments.count + 1, on: stack) else { throw await end(coroutine, LuaError.tooManyArguments) }
    function.push(onto: stack)
    for argument in arguments { push(argument, onto: stack) }
    var count = Int32(arguments.count)
    while true {
      freeReleased()
      counts.read = 0
      switch resume(coroutine, count) {
      case .finished:
        let results = values(from: 1, of: stack)
        lua_settop(stack, 0)
        if let scope = coroutine.scope.take() {
          await scope.end(isFailing: false)
          if let failure = scope.takeFailure() { throw failure }
        }
        idle.append(coroutine)
        return results
      case .suspended:
        guard let operation = coroutine.pending.take() else {
          if let watcher = watching.watcher {
            do { try await watcher.goesOn() } catch { throw await end(coroutine, error) }
            count = 0
            continue
          }
          throw await end(coroutine, LuaError(code: "host_error", message: "a coroutine waits for nothing"))
        }
        if Task.isCancelled { throw await end(coroutine, CancellationError()) }
        if let scope = coroutine.scope {
          coroutine.outcome = await scope.outcome(of: operation)
        } else {
          do { coroutine.outcome = .success(try await operation()) } catch { coroutine.outcome = .failure(error) }
        }
        if let watcher = watching.watcher, watcher.isHolding {
          do { try await watcher.goesOn() } catch { throw await end(coroutine, error) }
        }
        coroutine.waiting = nil
        guard !isClosed else { throw LuaError.closed }
        if Task.isCancelled { throw await end(coroutine, CancellationError()) }
        count = 0
      case .interrupted: throw await end(coroutine, CancellationError())
      case .failed(let error):
        await watching.watcher?.ends(call: number, with: error, in: ScriptCoroutine(stack: stack))
        throw await end(coroutine, error)
      }
    }
  }

  private enum Step {
    case finished, suspended, interrupted
    case failed(LuaError)
  }

  private func resume(_ coroutine: Coroutine, _ arguments: Int32) -> Step {
    let outer = current
    current = coroutine
    defer { current = outer }
    // A result that no continuation took, such as for want of memory, is not for the next one.
    defer { coroutine.outcome = nil }
    watching.profiler?.begins()
    defer { watching.profiler?.pauses() }
    switch luas_resume(coroutine.stack, arguments) {
    case LUA_OK: return .finished
    case LUA_YIELD: return luas_isstopping(host) ? .interrupted : .suspended
    default:
      let error = takeError(from: coroutine.stack, keeping: true)
      return luas_isstopping(host) ? .interrupted : .failed(error)
    }
  }

  private func end(_ coroutine: Coroutine, _ error: any Error) async -> any Error {
    let error = close(coroutine, error)
    guard let scope = coroutine.scope.take() else { return error }
    await scope.end(isFailing: true)
    while let failure = scope.takeFailure() { onCloseError(failure) }
    return error
  }

  /// Runs the coroutine's to-be-closed variables and gives back `error`. As in Lua, an error raised by one of them takes
  /// its place; a cancellation stays one, and the other error is reported.
  private func close(_ coroutine: Coroutine, _ error: any Error) -> any Error {
    coroutine.waiting = nil
    let outer = current
    current = coroutine
    defer { current = outer }
    guard luas_closethread(coroutine.stack) != LUA_OK else { return error }
    // A stop is no error of the variables.
    if luas_isstopping(host) { return error }
    var raised = takeError(from: coroutine.stack)
    guard let error = error as? LuaError else {
      onCloseError(raised)
      return error
    }
    if raised.message == error.message { return error }
    raised.traceback = raised.traceback ?? error.traceback
    return raised
  }
}

extension LuaError {
  fileprivate static let closed = LuaError(code: "script_ended", message: "the script has ended")
  fileprivate static let tooManyArguments = LuaError(
    code: "stack_overflow", message: "the Lua stack has no room for the arguments")
}
