import HostLoop

/// Lets one task through at a time, in the order they came.
@HostActor
final class Turnstile {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Runs `body` alone. Costs nothing while nobody else is inside.
  func pass<R: Sendable>(_ body: @HostActor () async throws -> R) async rethrows -> R {
    if isTaken {
      // Whoever leaves hands over directly, so that nobody slips in between.
      await withCheckedContinuation { waiting.append($0) }
    }
    isTaken = true
    defer {
      if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
    return try await body()
  }
}
