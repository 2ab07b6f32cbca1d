import HostLoop
import LuaKit

/// Children of structured concurrency: at most `limit` run at once, none outlives `run`, the first failure cancels all.
@HostActor
final class ChildGroup {
  private let limit: Int
  private var children: [Int: Task<Void, Never>] = [:]
  private var lastNumber = 0
  private var failure: (any Error)?
  private var isCanceled = false
  private var change: CancellableWait<Void>?

  private init(limit: Int) { self.limit = limit }

  /// Runs `body`, which adds children, and waits for all of them. Throws the first failure, or `CancellationError`
  /// when the task is canceled; the children have then ended too.
  static func run(limit: Int, _ body: @HostActor (ChildGroup) async throws -> Void) async throws {
    let group = ChildGroup(limit: limit)
    do {
      try await body(group)
      try await group.wait(untilFewerThan: 1)
    } catch {
      group.cancel()
      // The handles are awaited, not the group: this task may be canceled itself.
      while let child = group.children.values.first { await child.value }
      throw group.failure ?? error
    }
  }

  /// Runs all at once until the first ends; returns its value or throws its error. The others are canceled and awaited.
  static func race<Value: Sendable>(_ bodies: [@HostActor @Sendable () async throws -> Value]) async throws -> Value {
    let winner = Winner<Value>()
    try await run(limit: .max) { group in
      for body in bodies {
        group.start {
          let outcome: Result<Value, any Error>
          do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
          guard winner.outcome == nil else { return }
          winner.outcome = outcome
          group.cancel()
        }
      }
    }
    guard let outcome = winner.outcome else { throw CancellationError() }
    return try outcome.get()
  }

  @HostActor
  private final class Winner<Value: Sendable> {
    var outcome: Result<Value, any Error>?
  }

  /// Starts a child, once there is a place for it.
  func add(_ child: @escaping @HostActor @Sendable () async throws -> Void) async throws {
    try await wait(untilFewerThan: limit)
    start(child)
  }

  /// Starts a child in the next turn of the loop; none where all have been canceled.
  func start(_ child: @escaping @HostActor @Sendable () async throws -> Void) {
    guard !isCanceled else { return }
    lastNumber += 1
    let number = lastNumber
    children[number] = Task(executorPreference: HostLoop.shared) { @HostActor @Sendable in
      do { try await child() } catch { if self.failure == nil { self.failure = error } }
      self.children[number] = nil
      self.change?.finish(.success(()))
    }
  }

  private func cancel() {
    isCanceled = true
    for child in children.values { child.cancel() }
  }

  private func wait(untilFewerThan limit: Int) async throws {
    while true {
      if let failure { throw failure }
      if children.count < limit { return }
      let change = CancellableWait<Void>()
      self.change = change
      try await change.value()
    }
  }
}
