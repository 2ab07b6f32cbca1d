import HostLoop
import Testing

@Suite struct CancellableWaitTests {
  struct Failed: Error {}

  @Test func deliversWhatCameBeforeTheWait() async throws {
    let value = try await HostActor.task {
      let wait = CancellableWait<Int>()
      wait.finish(.success(1))
      wait.finish(.success(2))
      return try await wait.value()
    }.value
    #expect(value == 1)
  }

  @Test func deliversWhatComesLater() async throws {
    let value = try await HostActor.task {
      let wait = CancellableWait<Int>()
      HostActor.task { wait.finish(.success(3)) }
      return try await wait.value()
    }.value
    #expect(value == 3)
  }

  @Test func deliversAnError() async throws {
    await #expect(throws: Failed.self) {
      try await HostActor.task {
        let wait = CancellableWait<Int>()
        HostActor.task { wait.finish(.failure(Failed())) }
        _ = try await wait.value()
      }.value
    }
  }

  @Test(arguments: [true, false]) func endsWithItsTask(fromTheLoop: Bool) async throws {
    let wait = await CancellableWait<Int>()
    let task = HostActor.task { try await wait.value() }
    if fromTheLoop { try await HostActor.task { task.cancel() }.value } else { task.cancel() }
    await #expect(throws: CancellationError.self) { try await task.value }
    // The value that comes too late is nobody's.
    await wait.finish(.success(1))
  }

  @Test func endsAtOnceInACanceledTask() async throws {
    let task = HostActor.task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await CancellableWait<Int>().value()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
