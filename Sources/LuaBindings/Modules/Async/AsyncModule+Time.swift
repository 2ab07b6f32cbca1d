import Automation
import HostLoop
import Lua

extension AsyncModule {
  /// In seconds; a shorter interval is a busy loop by mistake.
  private static let shortestInterval = 0.001

  var every: HostFunction {
    HostFunction(
      "async.every",
      "Calls the function at intervals while the script goes on, for the first time after one interval. A call never begins "
        + "before the last one has ended; missed calls are left out. The timer ends when it is closed, when the function "
        + "that started it ends, or with an error. The error is raised where the function that started the timer waits, or "
        + "when that function ends.",
      [
        Parameter("seconds", .number, in: Parameter.anyNumber, "The interval, at least 0.001."),
        Parameter(
          "f", .callback([Parameter("count", .integer, "The number of the call, from 1.")]),
          "The function; it may wait."),
      ], returns: [.init(.object("timer"), "The timer. It ends with :close(), or as a <close> variable.")],
      example: """
        local async = b2c.async
        local ticks = 0
        do
          local timer <close> = async.every(0.01, function(count) ticks = count end)
          while ticks < 3 do async.sleep(0.01) end
        end
        """
    ) { [leftovers] arguments in
      guard let function = arguments[1].function, let scope = arguments.state.scope else { return [] }
      let seconds = arguments.number(0)
      guard seconds >= Self.shortestInterval else {
        throw arguments.failure(
          "argument 1: expected at least \(Self.shortestInterval) seconds, got \(LuaNumber.text(seconds))")
      }
      let state = arguments.state
      let place = state.place.map { " at \($0)" } ?? ""
      let timer = LuaTimer(every: seconds, function, in: scope, startedBy: state.traceback) {
        leftovers.add(
          "the timer of async.every\(place) was stopped, as the function that started it has ended; close it there, or "
            + "keep it in a <close> variable")
      }
      return [.object(timer)]
    }
  }

  var timeout: HostFunction {
    .suspending(
      "async.timeout",
      "Runs the function for at most this long. Then the function is canceled, and the error timeout is raised.",
      [
        Parameter("seconds", .number, in: Parameter.anyNumber, "The time limit."),
        Parameter("f", .function, "The function."),
      ],
      returns: [.init(.any, "The results of the function.")]
    ) { arguments in
      guard let function = arguments[1].function else { return [] }
      let seconds = arguments.number(0)
      guard seconds >= 0 else {
        throw arguments.failure("argument 1: expected zero or more seconds, got \(seconds)")
      }
      var results: [LuaValue] = []
      let expiry = Expiry()
      let child = HostActor.task { try await function.call() }
      let timer = HostLoop.shared.schedule(after: seconds) {
        expiry.hasPassed = true
        child.cancel()
      }
      defer { HostLoop.shared.cancel(timer) }
      do {
        results = try await withTaskCancellationHandler {
          try await child.value
        } onCancel: {
          child.cancel()
        }
      } catch is CancellationError where expiry.hasPassed {
        throw LuaError(
          code: "timeout", message: "async.timeout: not done after \(LuaNumber.text(seconds)) s", isRetryable: true)
      }
      return results
    }
  }
}

@HostActor
private final class Expiry {
  var hasPassed = false
}
