import Core
import HTTPServer
import HostLoop
import ImportEngine
import ImportFormats
import TaskAPI
import Testing

/// Answers that get lost, within one run.
@HostActor @Suite struct ImportSettlingTests {
  private static func texts(_ count: Int) -> [String] { (1...count).map { "task \($0 % 70)" } }

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

  /// The refusal of a second request says nothing about the first, which may be why.
  @Test(arguments: [400, 403, 409, 422], [true, false])
  func refusedRepetitionIsLookedUp(status: Int, knowsTasksBefore: Bool) async throws {
    let habits = TaskSink.Habits(after: { text, time in
      text == "task 5" && time == 1 ? ServerResponse(status: 500) : nil
    })
    let sink = try TaskSink(.keyed, habits: habits) { text, time in
      text == "task 5" && time > 1 ? ServerResponse(status: status) : nil
    }
    let engine = try await sink.engine(concurrency: 2) { if !knowsTasksBefore { $0.keys.areHonored = true } }
    let report = try await engine.run(TextSource(Self.texts(20)))
    #expect(report.added == (knowsTasksBefore ? 20 : 19))
    #expect(report.unsettled == (knowsTasksBefore ? 0 : 1))
    #expect(report.failed == 0)
    #expect(sink.added.count == 20)
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
