package import HostLoop

/// Seconds in words, without a needless fraction: "1 second", "2.5 seconds".
package func formatSeconds(_ seconds: Double) -> String {
  "\(Int64(exactly: seconds).map { String($0) } ?? String(seconds)) \(seconds == 1 ? "second" : "seconds")"
}

/// Operations that are given up when they take too long.
@HostActor
package enum TimeLimit {
  /// The result of `operation`, which is canceled after `seconds`; nil when it was.
  package static func run<Value: Sendable>(
    seconds: Double, _ operation: @escaping @HostActor @Sendable () async throws -> Value
  ) async throws -> Value? {
    let wait = CancellableWait<Value?>()
    let task = HostActor.task {
      do { wait.finish(.success(try await operation())) } catch { wait.finish(.failure(error)) }
    }
    let timer = HostLoop.shared.schedule(after: seconds) { wait.finish(.success(nil)) }
    defer {
      HostLoop.shared.cancel(timer)
      task.cancel()
    }
    return try await wait.value()
  }
}
