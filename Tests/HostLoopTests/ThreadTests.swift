import Glibc
import HostLoop
import Testing

@Suite struct ThreadTests {
  @Test func everythingRunsOnOneThread() async throws {
    let tasks = (0..<100).map { _ in
      HostActor.task {
        var threads: Set<pthread_t> = []
        for _ in 0..<10 {
          threads.insert(pthread_self())
          await Task.yield()
        }
        #expect(HostLoop.shared.isCurrent)
        return threads
      }
    }
    var threads: Set<pthread_t> = []
    for task in tasks { threads.formUnion(try await task.value) }
    #expect(threads.count == 1)
    #expect(!HostLoop.shared.isCurrent)
  }

  @Test func jobsRunInTheOrderTheyWereMadeReady() async throws {
    let order = try await HostActor.task {
      let order = Recorder()
      let tasks = (0..<50).map { number in HostActor.task { order.numbers.append(number) } }
      for task in tasks { try await task.value }
      return order.numbers
    }.value
    #expect(order == Array(0..<50))
  }

  @Test func manyThreadsWakeTheLoop() async throws {
    let counter = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<500 {
            // One at a time, so that the loop falls asleep in between.
            try await HostActor.task { counter.count += 1 }.value
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await counter.count == 4000)
  }

  @Test func aFloodFromManyThreadsArrivesWhole() async throws {
    let counter = Counter()
    let tasks = await withTaskGroup(of: [Task<Void, any Error>].self) { group in
      for _ in 0..<4 {
        group.addTask { (0..<2000).map { _ in HostActor.task { counter.count += 1 } } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    for task in tasks { try await task.value }
    #expect(await counter.count == 8000)
  }

  @Test func aContinuationResumedElsewhereGoesOnHere() async throws {
    let answer = try await HostActor.task {
      var sum = 0
      for number in 0..<200 {
        sum += await withCheckedContinuation { continuation in
          Task.detached { continuation.resume(returning: number) }
        }
        #expect(HostLoop.shared.isCurrent)
      }
      return sum
    }.value
    #expect(answer == 19_900)
  }

  @Test func codeOnTheThreadMayAssumeTheActor() async throws {
    let answer = try await HostActor.task {
      // As in a C callback, where Swift does not know the thread.
      let callback: @convention(c) () -> Int = { HostActor.assumeIsolated { Recorder.shared }.numbers.count }
      return callback()
    }.value
    #expect(answer == 0)
  }
}

@HostActor final class Counter {
  var count = 0

  nonisolated init() {}
}

@HostActor final class Recorder {
  static let shared = Recorder()
  var numbers: [Int] = []
  var timer: TimerQueue.ID?
}
