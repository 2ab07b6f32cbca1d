import HostLoop
import Lua
import LuaKit

final class LuaSemaphore: LuaObject {
  private var free: Int
  /// By the numbers in which they came; a caller that gave up leaves a gap.
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
    // Canceled after it got the permit: nobody would give it back.
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
    "semaphore", "A limited number of permits.",
    properties: [
      property("available", .integer, "The number of free permits.") { .integer($0.free) },
      property("waiting", .integer, "The number of callers that wait for a permit.") { .integer($0.waiters.count) },
    ],
    methods: [
      suspendingMethod(
        "semaphore:acquire",
        "Takes a permit, or waits until a permit is free. Callers get permits in the order of their calls.",
        returns: .init(.object("permit"), "The permit. A <close> variable returns it to the semaphore.")
      ) { semaphore, _ in [.object(try await semaphore.acquire())] }
    ], describe: { object in (object as? LuaSemaphore).map { "semaphore (\($0.free) free)" } ?? "semaphore" })
}

final class LuaPermit: LuaObject {
  private var semaphore: LuaSemaphore?

  init(of semaphore: LuaSemaphore) { self.semaphore = semaphore }

  func release() { semaphore.take()?.release() }

  static let luaType = HostType(
    "permit", "A permit of a semaphore. A <close> variable returns it at the end of the block, also after an error.",
    methods: [
      method("permit:release", "Returns the permit to the semaphore. A second call does nothing.") { permit, _ in
        permit.release()
        return []
      }
    ], close: { ($0 as? LuaPermit)?.release() },
    describe: { object in (object as? LuaPermit)?.semaphore == nil ? "permit (given back)" : "permit" })
}
