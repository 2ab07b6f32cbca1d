/// The result of work under way, for all who wait. Their cancellation does not end it: a rotated token must be stored.
@HostActor
package final class SharedResult<Value: Sendable> {
  private var waits: [CancellableWait<Value>] = []
  private var result: Result<Value, any Error>?

  package init() {}

  package func value() async throws -> Value {
    // An operation that never waits may be over before its starter gets here.
    if let result { return try result.get() }
    let wait = CancellableWait<Value>()
    waits.append(wait)
    return try await wait.value()
  }

  package func finish(_ result: Result<Value, any Error>) {
    self.result = result
    for wait in waits { wait.finish(result) }
    waits = []
  }
}
