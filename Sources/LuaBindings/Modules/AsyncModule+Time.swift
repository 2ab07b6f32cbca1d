import Automation
import HostLoop
import Lua

extension ScriptHost {
  /// Seconds; less is a busy loop that was not meant.
  private static let shortestInterval = 0.001

  var asyncEvery: HostFunction {
    HostFunction(
      "async.every",
      "Calls the function at intervals, for the first time when one has passed, while the script goes on. A call is never "
        + "begun before the last one has ended; what is missed meanwhile is left out. The timer ends when it is closed, when "
        + "the function ends that has started it, or with an error: that is raised where the function that has started it "
        + "waits, or when it ends.",
      [
        Parameter("seconds", .number, in: Parameter.anyNumber, "The interval, at least 0.001."),
        Parameter(
          "f", .callback([Parameter("count", .integer, "Which call this is: 1 for the first.")]),
          "What to call; it may wait."),
      ], returns: [.init(.object("timer"), "It ends with :close(), or as a <close> variable.")],
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

  var asyncTimeout: HostFunction {
    .suspending(
      "async.timeout", "Runs the function, but not longer than this: then it is canceled, and a timeout raised.",
      [Parameter("seconds", .number, in: Parameter.anyNumber, "How long."), Parameter("f", .function, "What to run.")],
      returns: [.init(.any, "What the function returns.")]
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
