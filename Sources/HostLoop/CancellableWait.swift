/// A value that arrives once. A canceled task stops waiting for it.
@HostActor
package final class CancellableWait<Value: Sendable> {
  private var result: Result<Value, any Error>?
  private var continuation: CheckedContinuation<Value, any Error>?

  package init() {}

  /// Delivers the result. Returns true for the first one, which alone counts. The task resumes in a later turn.
  @discardableResult
  package func finish(_ result: Result<Value, any Error>) -> Bool {
    guard self.result == nil else { return false }
    self.result = result
    continuation?.resume(with: result)
    continuation = nil
    return true
  }

  /// Waits for `finish`. Throws its error, or `CancellationError` if the task is canceled first. Called once.
  package func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let result { continuation.resume(with: result) } else { self.continuation = continuation }
      }
    } onCancel: {
      // Cancellation comes from any thread. On the loop's thread it takes effect at once.
      if HostLoop.shared.isCurrent {
        HostActor.assumeIsolated { [self] in _ = finish(.failure(CancellationError())) }
      } else {
        HostActor.task { self.finish(.failure(CancellationError())) }
      }
    }
  }
}
