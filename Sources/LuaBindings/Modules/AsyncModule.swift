import HostLoop
import Lua

extension ScriptHost {
  var asyncModule: HostModule {
    HostModule(
      "async",
      "Several things at once. A child never outlives the call that started it; a failure cancels its siblings.",
      notes: """
        Canceling runs the `<close>` variables of what is canceled, and no `pcall` catches it. The traceback of an error in a
        child goes on, below the line `started by:`, with the stack of the call that started it. The page Concurrency has more.
        """,
      example: """
        local async = require "b2c.async"

        local squares = async.map({ 1, 2, 3, 4 }, { limit = 2 }, function(n)
          async.sleep(0.01)
          return n * n
        end)
        assert(squares[4] == 16)

        local ok, problem = pcall(async.timeout, 0.01, function() async.sleep(60) end)
        assert(not ok and problem.code == "timeout")
        """,
      [asyncAll, asyncEvery, asyncMap, asyncRace, asyncSemaphore, asyncSleep, asyncTimeout])
  }

  private var asyncSleep: HostFunction {
    .suspending(
      "async.sleep", "Waits; other coroutines go on.",
      [Parameter("seconds", .number, in: Parameter.anyNumber, "How long.")]
    ) { arguments in
      guard arguments.number(0) >= 0 else {
        throw arguments.failure("argument 1: expected zero or more seconds, got \(arguments.number(0))")
      }
      try await HostLoop.shared.sleep(seconds: arguments.number(0))
      return []
    }
  }

  private var asyncSemaphore: HostFunction {
    HostFunction(
      "async.semaphore", "Makes a semaphore: at most so many at a time hold a permit of it.",
      [Parameter("permits", .integer, "How many permits there are, at least one.")],
      returns: [.init(.object("semaphore"), "With all of its permits free.")],
      example: """
        local async = b2c.async
        local semaphore = async.semaphore(2)
        async.map({ "a", "b", "c" }, function(name)
          local permit <close> = semaphore:acquire()
          async.sleep(0.01) -- at most two are here at a time
        end)
        assert(semaphore.available == 2)
        """
    ) { arguments in
      guard let permits = arguments[0].integer, permits >= 1 else {
        throw arguments.failure("argument 1: expected at least 1 permit, got \(arguments[0].integer ?? 0)")
      }
      return [.object(LuaSemaphore(permits: Int(clamping: permits)))]
    }
  }
}
