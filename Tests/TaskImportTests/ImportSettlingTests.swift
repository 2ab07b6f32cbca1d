import Core
import HTTPServer
import HostLoop
import Synchronization
import TaskAPI
import TaskImport
import Testing

/// Answers that get lost, within one run.
@HostActor @Suite struct ImportSettlingTests {
  private static func texts(_ count: Int) -> [String] { (1...count).map { "task \($0 % 70)" } }

  /// Every third answer is lost after the task was taken, every fifth request before.
  private static func lossy() -> @Sendable (String, Int) -> ServerResponse? {
    let count = Mutex(0)
    return { _, _ in
      let number = count.withLock {
        $0 += 1
        return $0
      }
      if number % 3 == 0 { return ServerResponse(status: 201, drop: .beforeResponse) }
      if number % 5 == 0 { return ServerResponse(status: 503, drop: .beforeResponse) }
      if number % 7 == 0 { return ServerResponse(status: 500) }
      if number % 11 == 0 { return ServerResponse(status: 201, body: [UInt8]("{}".utf8), drop: .midResponse) }
      return nil
    }
  }

  @Test(arguments: [TaskSink.Kind.plain, .keyed])
  func everyRowIsThereOnceInTheEnd(kind: TaskSink.Kind) async throws {
    let before = ["task 3", "task 3"]
    let sink = try TaskSink(kind, tasks: before, refuse: Self.lossy())
    let texts = Self.texts(200)
    let report = try await sink.engine(concurrency: 6, retries: 8) { $0.longestDelay = 2 }.run(TextSource(texts))
    #expect(report.added == 200)
    #expect(report.failures == [])
    #expect(sink.added.sorted() == (texts + before).sorted())
  }

  /// After a kill, few rows have an unknown result for ever, even if the server is fast.
  @Test func littleIsAtStakeWhereNothingCanBeSettled() async throws {
    let sink = try TaskSink(.cut, tasks: (1...20).map { "old \($0)" })
    let engine = try await sink.engine(concurrency: 4)
    let source = TextSource((1...2000).map { "task \($0)" })
    var most = 0
    source.beforeRow = { most = max(most, $0 - sink.arrivals.count) }
    #expect(try await engine.run(source).added == 2000)
    // The maximum is 4 requests under way, 4 rows that wait (half a block), and 8 rows of the block that is being read.
    #expect(most <= 4 + 4 + 8)
  }

  /// Rows that the list cannot tell about are neither claimed nor sent again.
  @Test(arguments: [TaskSink.Kind.cut, .listless])
  func nothingIsGuessed(kind: TaskSink.Kind) async throws {
    let sink = try TaskSink(kind, tasks: (1...20).map { "old \($0)" }, refuse: Self.lossy())
    let texts = (1...60).map { "task \($0)" }
    let engine = try await sink.engine(concurrency: 4, retries: 8) { $0.longestDelay = 2 }
    var notices: [String] = []
    engine.events.watch(ImportEvent.self) { event, _ in if case .notice(let text) = event { notices.append(text) } }
    let report = try await engine.run(TextSource(texts))
    #expect(report.unsettled > 0)
    #expect(report.added + report.unsettled == 60)
    #expect(Set(sink.arrivals.map(\.text)).count == 60)
    let added = sink.added.filter { $0.hasPrefix("task") }
    #expect(Set(added).count == added.count)
    #expect(report.failures.filter(\.isUnsettled).count == report.unsettled)
    #expect(
      notices == [
        kind == .cut
          ? "the server shows 20 tasks and may have more: a row whose answer gets lost stays unsettled"
          : "the list of tasks cannot be read, so that a row whose answer gets lost stays unsettled: GET "
            + "http://\(sink.authority)/api/tasks was answered 404 (not found) (see taskAPI and tasksPath in the settings)"
      ])
  }

  /// A row that breaks the server each time is that row's failure, not a riddle: the list says that it is not there.
  @Test func rowThatBreaksTheServerFails() async throws {
    let sink = try TaskSink { text, _ in text == "task 5" ? ServerResponse(status: 500) : nil }
    let report = try await sink.engine().run(TextSource(Self.texts(20)))
    #expect(report.added == 19)
    #expect(report.failures.map(\.row) == [5])
    #expect(report.failures.map(\.status) == [500])
    #expect(report.failures.map(\.isUnsettled) == [false])
  }

  @Test func keyIsTheSameEachTime() async throws {
    let sink = try TaskSink(.keyed) { text, time in
      text == "task 5" && time == 1 ? ServerResponse(status: 201, drop: .beforeResponse) : nil
    }
    let report = try await sink.engine(concurrency: 2).run(TextSource(Self.texts(20)))
    #expect(report.added == 20)
    let keys = sink.arrivals.filter { $0.text == "task 5" }.map(\.key)
    #expect(keys.count == 2)
    #expect(keys[0] != nil && keys[0] == keys[1])
    #expect(Set(sink.arrivals.map(\.key)).count == 20)
  }

  /// The refusal of a second request says nothing about the first, which may be why.
  @Test(arguments: [400, 403, 409, 422], [true, false])
  func refusedRepetitionIsLookedUp(status: Int, knowsTasksBefore: Bool) async throws {
    let habits = TaskSink.Habits(after: { text, time in
      text == "task 5" && time == 1 ? ServerResponse(status: 500) : nil
    })
    let sink = try TaskSink(.keyed, habits: habits) { text, time in
      text == "task 5" && time > 1 ? ServerResponse(status: status) : nil
    }
    let engine = try await sink.engine(concurrency: 2) { if !knowsTasksBefore { $0.honorsIdempotencyKey = true } }
    let report = try await engine.run(TextSource(Self.texts(20)))
    #expect(report.added == (knowsTasksBefore ? 20 : 19))
    #expect(report.unsettled == (knowsTasksBefore ? 0 : 1))
    #expect(report.failed == 0)
    #expect(sink.added.count == 20)
  }

  /// Who takes no keys is not bothered with them for long.
  @Test func keysEndWhereNobodyTakesThem() async throws {
    let sink = try TaskSink()
    _ = try await sink.engine(concurrency: 2).run(TextSource(Self.texts(20)))
    #expect(sink.arrivals.first?.key != nil)
    #expect(sink.arrivals.last?.key == nil)
  }

  @Test func listThatShrinksIsNotBelieved() async throws {
    let sink = try TaskSink { text, _ in text == "task 9" ? ServerResponse(status: 500) : nil }
    let engine = try await sink.engine(concurrency: 1)
    let source = TextSource(Self.texts(9))
    source.beforeRow = { number in if number == 9 { sink.forget("task 2") } }
    let report = try await engine.run(source)
    #expect(report.unsettled == 1)
    #expect(report.failures[0].reason.contains("fewer than the 8 there should be"))
  }
}
