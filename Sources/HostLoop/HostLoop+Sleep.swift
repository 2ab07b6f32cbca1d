extension HostLoop {
  /// Waits `seconds`. Throws `CancellationError` when the task is canceled meanwhile.
  @HostActor package func sleep(seconds: Double) async throws {
    let wait = CancellableWait<Void>()
    let timer = schedule(after: seconds) { wait.finish(.success(())) }
    defer { cancel(timer) }
    try await wait.value()
  }
}
