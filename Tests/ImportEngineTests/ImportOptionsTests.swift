import Core
import HTTPServer
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import TaskAPI
import TestSupport
import Testing

/// Tests of the options of an import.
@HostActor @Suite struct ImportOptionsTests {
  private static func refusing(_ refused: String...) throws -> TaskSink {
    try TaskSink { text, _ in refused.contains(text) ? ServerResponse(status: 400) : nil }
  }

  @Test func handlerSkips() async throws {
    let sink = try Self.refusing("b")
    let engine = try await sink.engine()
    engine.onRowFailed = { _ in .skip }
    let report = try await engine.run(TextSource(["a", "b", "c"]))
    #expect(report.added == 2)
    #expect(report.skipped == 1)
    #expect(report.failed == 0)
    #expect(report.failures == [])
  }

  @Test func handlerStops() async throws {
    let sink = try Self.refusing("b")
    let engine = try await sink.engine(concurrency: 1)
    engine.onRowFailed = { _ in .stop }
    let error = try await #require(throws: ImportError.self) {
      try await engine.run(TextSource(["a", "b", "c", "d"]))
    }
    #expect(
      error.message
        == "on_row_failed stopped the import at row 2: POST http://\(sink.authority)/api/tasks was "
        + "answered 400 (bad request); until then: 1 added, 1 failed, \(engine.report.unsent) not sent")
    #expect(sink.added == ["a"])
  }

  @Test func handlerChangesTheRow() async throws {
    let sink = try Self.refusing("b", "b!")
    let engine = try await sink.engine(concurrency: 1)
    var told: [String] = []
    engine.onRowFailed = { failure in
      told.append(failure.text)
      return .change(TaskDraft(text: failure.text + "!"))
    }
    let report = try await engine.run(TextSource(["a", "b", "c"]))
    #expect(told == ["b", "b!"])
    #expect(report.added == 3)
    #expect(report.failed == 0)
    #expect(sink.added.sorted() == ["a", "b!!", "c"])
  }

  /// A handler that never returns a valid task does not run for ever.
  @Test func changesHaveAnEnd() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 400) }
    let engine = try await sink.engine(concurrency: 1)
    engine.onRowFailed = { .change(TaskDraft(text: $0.text + "!")) }
    let report = try await engine.run(TextSource(["a"]))
    #expect(report.failed == 1)
    #expect(sink.arrivals.count == 11)
  }

  /// A row of which no task can be made is the handler's, too.
  @Test func handlerMendsAnUnusableRow() async throws {
    let sink = try TaskSink()
    let engine = try await sink.engine()
    engine.onRowFailed = { failure in failure.code == "empty_text" ? .change(TaskDraft(text: "untitled")) : .keep }
    let report = try await engine.run(TextSource(["a", "  "]))
    #expect(report.added == 2)
    #expect(sink.added.sorted() == ["a", "untitled"])
  }

  @Test func tooManyFailuresStop() async throws {
    let sink = try Self.refusing("b", "c", "d")
    let engine = try await sink.engine(concurrency: 1) { $0.maximumFailures = 1 }
    let error = try await #require(throws: ImportError.self) {
      try await engine.run(TextSource(["a", "b", "c", "d", "e"]))
    }
    #expect(error.message.hasPrefix("the import stopped at row 3 because 2 rows have failed, and 1 may: POST "))
    #expect(engine.report.failed == 2)
    #expect(sink.added == ["a"])
  }

  @Test func dedupeSkipsWhatIsThere() async throws {
    let sink = try TaskSink(tasks: ["milk", "eggs"])
    let report = try await sink.engine { $0.dedupe = "text" }
      .run(TextSource(["milk", "bread", "bread", "eggs", "Milk"]))
    #expect(report.added == 2)
    #expect(report.skipped == 3)
    #expect(sink.added == ["milk", "eggs", "bread", "Milk"])
  }

  /// Everything is checked, nothing is sent, and the journal is as it was.
  @Test func dryRunSendsNothing() async throws {
    let sink = try TaskSink()
    let folder = TemporaryFolder()
    let file = folder.path("journal.sqlite")
    var journal = try await ImportJournal.open(TaskSink.identity, file: file)
    _ = try await sink.engine(journal: journal).run(TextSource(["a", "b"]))
    await journal.close()

    journal = try await ImportJournal.open(TaskSink.identity, file: file)
    let engine = try await sink.engine(journal: journal) { $0.isDryRun = true }
    let report = try await engine.run(TextSource(["a", "b", "c", " ", "d"]))
    #expect(report.total == 5)
    #expect(report.added == 2)
    #expect(report.failed == 1)
    #expect(report.unsent == 2)
    await journal.close()

    journal = try await ImportJournal.open(TaskSink.identity, file: file)
    #expect(journal.summary.rows == 2)
    #expect(journal.summary.isFinished)
    await journal.close()
    #expect(sink.added.sorted() == ["a", "b"])
    #expect(sink.arrivals.count == 2)
  }

  @Test func rateIsNoObstacleToTheEnd() async throws {
    let sink = try TaskSink()
    let report = try await sink.engine { $0.rate = 2000 }.run(TextSource((1...50).map { "task \($0)" }))
    #expect(report.added == 50)
  }

  /// It begins with few requests at a time and finds out how many the server bears.
  @Test func concurrencyStaysWithinItsBounds() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 201, delay: 0.001) }
    let engine = try await sink.engine { $0.concurrency = 2...6 }
    let report = try await engine.run(TextSource((1...300).map { "task \($0)" }))
    #expect(report.added == 300)
    #expect(engine.statistics.highestInFlight <= 6)
  }
}
