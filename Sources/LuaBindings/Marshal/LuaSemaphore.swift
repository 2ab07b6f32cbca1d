import HostLoop
import Lua

/// What `async.semaphore` returns: so many permits, and a line of those who wait for one.
@HostActor
final class LuaSemaphore: LuaObject {
  private var free: Int
  /// By the numbers under which they came; those that went away are gaps.
  private var waiters: [Int: CancellableWait<Void>] = [:]
  private var lastNumber = 0
  private var nextNumber = 1

  init(permits: Int) { free = permits }

  /// Waits for a permit, behind those who came before.
  private func acquire() async throws -> LuaPermit {
    if free > 0 {
      free -= 1
      return LuaPermit(of: self)
    }
    let wait = CancellableWait<Void>()
    lastNumber += 1
    let number = lastNumber
    waiters[number] = wait
    do { try await wait.value() } catch {
      waiters[number] = nil
      throw error
    }
    let permit = LuaPermit(of: self)
    // Canceled after the permit was on its way: nobody would give it back.
    if Task.isCancelled {
      permit.release()
      throw CancellationError()
    }
    return permit
  }

  fileprivate func release() {
    while nextNumber <= lastNumber {
      let next = waiters.removeValue(forKey: nextNumber)
      nextNumber += 1
      if let next, next.finish(.success(())) { return }
    }
    free += 1
  }

  static let luaType = HostType(
    "semaphore", "Permits to do something, of which only so many are there at a time.",
    properties: [
      .init("available", .integer, "How many permits are free.", of: LuaSemaphore.self) { semaphore, _ in
        .integer(semaphore.free)
      },
      .init("waiting", .integer, "How many wait for one.", of: LuaSemaphore.self) { semaphore, _ in
        .integer(semaphore.waiters.count)
      },
    ],
    methods: [
      .suspending(
        "semaphore:acquire", "Takes a permit; waits for one where none is free. First come, first served.",
        [Parameter("self", .object("semaphore"))],
        returns: [.init(.object("permit"), "To be given back: keep it in a <close> variable.")]
      ) { arguments in
        let semaphore: LuaSemaphore = try arguments.object(0)
        return [.object(try await semaphore.acquire())]
      }
    ],
    describe: { object in (object as? LuaSemaphore).map { "semaphore (\($0.free) free)" } ?? "semaphore" })
}

/// One of a semaphore's permits, until it is given back.
@HostActor
final class LuaPermit: LuaObject {
  private var semaphore: LuaSemaphore?

  init(of semaphore: LuaSemaphore) { self.semaphore = semaphore }

  func release() { semaphore.take()?.release() }

  static let luaType = HostType(
    "permit", "A permit of a semaphore. As a <close> variable it is given back when the block ends, also by an error.",
    methods: [
      HostFunction(
        "permit:release", "Gives it back; once more does nothing.", [Parameter("self", .object("permit"))]
      ) { arguments in
        let permit: LuaPermit = try arguments.object(0)
        permit.release()
        return []
      }
    ],
    close: { ($0 as? LuaPermit)?.release() },
    describe: { object in (object as? LuaPermit)?.semaphore == nil ? "permit (given back)" : "permit" })
}
