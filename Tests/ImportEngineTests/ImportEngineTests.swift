import Core
import HTTPServer
import HostLoop
import ImportEngine
import ImportFormats
import JSON
import TaskAPI
import TestSupport
import Testing

@HostActor @Suite struct ImportEngineTests {
  private static func texts(_ count: Int) -> [String] { (1...count).map { "task \($0)" } }

  @Test func oneAtATimeKeepsTheOrder() async throws {
    let sink = try TaskSink()
    let texts = Self.texts(40)
    _ = try await sink.engine(concurrency: 1).run(TextSource(texts))
    #expect(sink.added == texts)
  }

  /// Each request waits at the gate until all that may be under way have come; were there fewer, none would go on.
  @Test(.timeLimit(.minutes(1))) func concurrencyIsReachedAndNotExceeded() async throws {
    let sink = try TaskSink()
    let gate = TokenGate(width: 8)
    let engine = try await sink.engine(concurrency: 8, tokens: gate) { $0.keys.areHonored = true }
    let report = try await engine.run(TextSource(Self.texts(64)))
    #expect(report.added == 64)
    #expect(gate.mostInside == 8)
  }

  @Test func refusedRowsDoNotStopTheRest() async throws {
    let conflict = #"{"code": "MissingTask", "message": "Text is a required parameter"}"#
    let sink = try TaskSink { text, _ in
      text.hasSuffix("7") ? ServerResponse(status: 409, text: conflict, type: "application/json") : nil
    }
    let engine = try await sink.engine()
    var told: [RowFailure] = []
    engine.onRowFailed = {
      told.append($0)
      return .keep
    }
    let report = try await engine.run(TextSource(Self.texts(20)))
    #expect(report.added == 18)
    #expect(report.failed == 2)
    #expect(
      report.failures.sorted { $0.row < $1.row }
        == [7, 17].map {
          RowFailure(
            row: $0, line: nil,
            reason: "POST http://\(sink.authority)/api/tasks was answered 409 (conflict): "
              + "MissingTask: Text is a required parameter",
            code: "conflict", status: 409, text: "task \($0)", original: ["text": .string("task \($0)")])
        })
    #expect(told == report.failures)
    #expect(sink.arrivals.count == 20)
  }

  @Test func handlerCanEndTheImport() async throws {
    struct Enough: Error {}
    let sink = try TaskSink { text, _ in text == "task 3" ? ServerResponse(status: 400) : nil }
    let engine = try await sink.engine(concurrency: 1)
    engine.onRowFailed = { _ in throw Enough() }
    await #expect(throws: Enough.self) { try await engine.run(TextSource(Self.texts(20))) }
    #expect(engine.report.added == 2)
    #expect(engine.report.failed == 1)
    #expect(sink.arrivals.count == 3)
  }

  @Test func failuresAreKeptWithinBounds() async throws {
    let file = TemporaryFile("Text,Due\n" + String(repeating: " ,x\n", count: 1500))
    let sink = try TaskSink()
    let engine = try await sink.engine()
    var told = 0
    engine.onRowFailed = { _ in
      told += 1
      return .keep
    }
    let report = try await engine.run(FileRowSource(CSVReader(path: file.path)))
    #expect(report.failed == 1500)
    #expect(told == 1500)
    #expect(report.failures.count == ImportReport.maximumFailures)
    #expect(
      report.failures.first
        == RowFailure(
          row: 1, line: 2, reason: "the text is empty", code: "empty_text", text: " ",
          original: ["Text": " ", "Due": "x"]))
  }

  @Test func progressEndsWithEverything() async throws {
    let sink = try TaskSink { text, _ in text == "task 3" ? ServerResponse(status: 400) : nil }
    let engine = try await sink.engine()
    var last: ProgressSnapshot?
    engine.events.watch(ImportEvent.self) { event, _ in if case .progress(let snapshot) = event { last = snapshot } }
    _ = try await engine.run(TextSource(Self.texts(30)))
    let snapshot = try #require(last)
    #expect(snapshot.isFinished)
    #expect(snapshot.source.rows == 30)
    #expect(snapshot.counts.added == 29)
    #expect(snapshot.counts.failed == 1)
    #expect(snapshot.inFlight == 0)
    #expect(snapshot.source.bytes == 30)
    #expect(snapshot.fraction == 1)
  }
}

/// Lets requests through in groups of `width`.
@HostActor
final class TokenGate: TokenProvider {
  private let width: Int
  private var waiting: [CancellableWait<Void>] = []
  private(set) var mostInside = 0

  nonisolated init(width: Int) { self.width = width }

  func token(afterRejected rejected: Secret?) async throws -> Secret {
    let wait = CancellableWait<Void>()
    waiting.append(wait)
    mostInside = max(mostInside, waiting.count)
    // A turn of the loop later, so that one too many would be seen.
    if waiting.count == width {
      _ = HostLoop.shared.schedule(after: 0.001) {
        let all = self.waiting
        self.waiting = []
        for wait in all { wait.finish(.success(())) }
      }
    }
    try await wait.value()
    return Secret("good")
  }
}
