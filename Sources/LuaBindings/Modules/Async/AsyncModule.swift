import Automation
import HostLoop
import Lua

/// `b2c.async`
struct AsyncModule: LuaModule {
  let leftovers: Leftovers

  var module: HostModule {
    HostModule(
      "async",
      "Runs functions concurrently. A child never outlives the call that started it; a failure cancels its siblings.",
      notes: """
        Canceling a function runs its `<close>` variables, and no `pcall` catches it. The traceback of an error in a child
        goes on, below the line `started by:`, with the stack of the call that started it. [Running](Running.md) has more.
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
      [all, every, map, race, semaphore, sleep, timeout])
  }

  private var sleep: HostFunction {
    .suspending(
      "async.sleep", "Waits; other coroutines keep running.",
      [Parameter("seconds", .number, in: Parameter.anyNumber, "The time to wait.")]
    ) { arguments in
      guard arguments.number(0) >= 0 else {
        throw arguments.failure("argument 1: expected zero or more seconds, got \(arguments.number(0))")
      }
      try await HostLoop.shared.sleep(seconds: arguments.number(0))
      return []
    }
  }

  private var semaphore: HostFunction {
    HostFunction(
      "async.semaphore", "Makes a semaphore. At most this many callers hold a permit of it at a time.",
      [Parameter("permits", .integer, "The number of permits, at least one.")],
      returns: [.init(.object("semaphore"), "The semaphore, with all permits free.")],
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
