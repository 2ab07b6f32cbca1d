import Testing

@testable import HostLoop

@Suite struct TimerTests {
  @Test func firesInTheOrderOfTheirTimesAndOfTheirMaking() async throws {
    let order = try await HostActor.task {
      var queue = TimerQueue()
      let order = Recorder()
      for (number, time) in [(4, 20.0), (2, 10), (5, 20), (1, 5), (6, 20), (0, -1), (3, 10), (7, 21)] {
        _ = queue.add(at: time) { order.numbers.append(number) }
      }
      while let action = queue.next(dueAt: 20) { action() }
      return order.numbers
    }.value
    #expect(order == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test func aThousandTimersComeInOrderWhateverIsTakenBack() async throws {
    let order = try await HostActor.task {
      var queue = TimerQueue()
      let order = Recorder()
      let ids = (0..<1000).map { number in
        let time = number * 7919 % 1000
        return queue.add(at: Double(time)) { order.numbers.append(time) }
      }
      for number in 0..<1000 where number % 3 != 0 { queue.remove(ids[number]) }
      while let action = queue.next(dueAt: 1000) { action() }
      return order.numbers
    }.value
    #expect(order == (0..<1000).filter { $0 % 3 == 0 }.map { $0 * 7919 % 1000 }.sorted())
  }

  @Test func aTimerTakenBackDoesNotFire() async throws {
    let fired = try await HostActor.task {
      let order = Recorder()
      let done = CancellableWait<Void>()
      let timers = (0..<200).map { number in
        HostLoop.shared.schedule(after: 0.001) { order.numbers.append(number) }
      }
      for timer in timers.dropLast(2) { HostLoop.shared.cancel(timer) }
      _ = HostLoop.shared.schedule(after: 0.002) { done.finish(.success(())) }
      try await done.value()
      HostLoop.shared.cancel(timers[199])
      return order.numbers
    }.value
    #expect(fired == [198, 199])
  }

  @Test func oneTimerMayTakeBackAnotherThatIsDue() async throws {
    let fired = try await HostActor.task {
      let order = Recorder()
      let done = CancellableWait<Void>()
      _ = HostLoop.shared.schedule(after: 0) {
        order.numbers.append(1)
        if let second = order.timer { HostLoop.shared.cancel(second) }
      }
      order.timer = HostLoop.shared.schedule(after: 0) { order.numbers.append(2) }
      _ = HostLoop.shared.schedule(after: 0) { done.finish(.success(())) }
      try await done.value()
      return order.numbers
    }.value
    #expect(fired == [1])
  }

  @Test func sleepsAtLeastAsLongAsAsked() async throws {
    let clock = ContinuousClock()
    let start = clock.now
    try await HostActor.task { try await HostLoop.shared.sleep(seconds: 0.02) }.value
    #expect(clock.now - start >= .milliseconds(20))
  }

  @Test func aCanceledSleepEnds() async throws {
    let sleeps = (0..<20).map { _ in HostActor.task { try await HostLoop.shared.sleep(seconds: 3600) } }
    for sleep in sleeps { sleep.cancel() }
    for sleep in sleeps {
      await #expect(throws: CancellationError.self) { try await sleep.value }
    }
  }
}
