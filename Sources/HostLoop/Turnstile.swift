/// Lets one task through at a time, in the order they came.
@HostActor
package final class Turnstile {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package nonisolated init() {}

  /// Runs `body` alone. Costs nothing while nobody else is inside.
  package func pass<R: Sendable>(_ body: @HostActor () async throws -> R) async rethrows -> R {
    if isTaken {
      // The task that leaves hands over directly, so that no other task gets in between.
      await withCheckedContinuation { waiting.append($0) }
    }
    isTaken = true
    defer {
      if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
    return try await body()
  }
}
