import Core
import HTTPServer
import HostLoop
import ImportEngine
import ImportFormats
import JSON
import Synchronization
import TaskAPI
import TestSupport
import Testing

@testable import SharedImport

/// The behavior of each import, in whatever place its journal is. One after the other: each has a server and several
/// connections, and Foundation starts no process when thousands of descriptors are open.
@Suite("An import, with a journal in a file and in a database", .serialized) @HostActor
struct ImportContractTests {
  private nonisolated static func texts(_ range: ClosedRange<Int>) -> [String] { range.map { "task \($0)" } }

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

  // MARK: One run

  @Test("adds every row once", arguments: JournalPlace.allCases, [TaskSink.Kind.plain, .keyed])
  func everyRowOnce(place: JournalPlace, kind: TaskSink.Kind) async throws {
    let sink = try TaskSink(kind)
    let report = try await ImportGround(place, sink).run(Self.texts(1...1200))
    #expect(report.total == 1200 && report.added == 1200)
    #expect(report.failed + report.skipped + report.unsent + report.unsettled == 0)
    #expect(sink.added.sorted() == Self.texts(1...1200).sorted())
  }

  @Test("has an end without rows", arguments: JournalPlace.allCases)
  func nothing(place: JournalPlace) async throws {
    let report = try await ImportGround(place, try TaskSink()).run([])
    #expect(report.total == 0 && report.added == 0)
  }

  @Test("adds every row once when answers get lost", arguments: JournalPlace.allCases, [TaskSink.Kind.plain, .keyed])
  func lostAnswers(place: JournalPlace, kind: TaskSink.Kind) async throws {
    let before = ["task 3", "task 3"]
    let sink = try TaskSink(kind, tasks: before, refuse: Self.lossy())
    let texts = (1...200).map { "task \($0 % 70)" }
    let report = try await ImportGround(place, sink).run(texts) { options in
      options.concurrency = 6...6
      options.retries = 8
      options.delays.longest = 2
    }
    #expect(report.added == 200 && report.failures == [])
    #expect(sink.added.sorted() == (texts + before).sorted())
  }

  @Test(
    "neither claims nor repeats rows that the list cannot tell about", arguments: JournalPlace.allCases,
    [TaskSink.Kind.cut, .listless])
  func nothingIsGuessed(place: JournalPlace, kind: TaskSink.Kind) async throws {
    let sink = try TaskSink(kind, tasks: (1...20).map { "old \($0)" }, refuse: Self.lossy())
    let ground = try await ImportGround(place, sink)
    let report = try await ground.run(Self.texts(1...60)) { options in
      options.retries = 8
      options.delays.longest = 2
    }
    #expect(report.unsettled > 0 && report.added + report.unsettled == 60)
    #expect(report.failures.filter(\.isUnsettled).count == report.unsettled)
    #expect(Set(sink.arrivals.map(\.text)).count == 60)
    let added = sink.added.filter { $0.hasPrefix("task") }
    #expect(Set(added).count == added.count)
    let notice =
      kind == .cut
      ? "the server shows 20 tasks and may have more: a row whose answer gets lost stays unsettled"
      : "the list of tasks cannot be read, so that a row whose answer gets lost stays unsettled: GET "
        + "http://\(sink.authority)/api/tasks was answered 404 (not found) (see taskAPI and tasksPath in the settings)"
    #expect(ground.notices.contains(notice), "\(ground.notices)")
  }

  @Test("reports a row that breaks the server each time as failed", arguments: JournalPlace.allCases)
  func rowThatBreaksTheServer(place: JournalPlace) async throws {
    let sink = try TaskSink { text, _ in text == "task 5" ? ServerResponse(status: 500) : nil }
    let report = try await ImportGround(place, sink).run(Self.texts(1...20))
    #expect(report.added == 19)
    #expect(report.failures.map(\.row) == [5])
    #expect(report.failures.map(\.status) == [500])
    #expect(report.failures.map(\.isUnsettled) == [false])
  }

  @Test("reports refused and empty rows, and goes on", arguments: JournalPlace.allCases)
  func failures(place: JournalPlace) async throws {
    let conflict = #"{"code": "MissingTask", "message": "Text is a required parameter"}"#
    let sink = try TaskSink { text, _ in
      text.hasSuffix("7") ? ServerResponse(status: 409, text: conflict, type: "application/json") : nil
    }
    let report = try await ImportGround(place, sink).run(["a1", " ", "a7", "a2", "b7"])
    #expect(report.added == 2 && report.failed == 3 && report.total == 5)
    let failures = report.failures.sorted { $0.row < $1.row }
    #expect(failures.map(\.row) == [2, 3, 5])
    #expect(failures.map(\.code) == ["empty_text", "conflict", "conflict"])
    #expect(failures.map(\.original) == [" ", "a7", "b7"].map { ["text": .string($0)] })
    #expect(failures[1].reason.hasSuffix("was answered 409 (conflict): MissingTask: Text is a required parameter"))
  }

  @Test("ends after too many failed rows", arguments: JournalPlace.allCases)
  func tooManyFailures(place: JournalPlace) async throws {
    let sink = try TaskSink { text, _ in text.hasSuffix("7") ? ServerResponse(status: 400) : nil }
    let ground = try await ImportGround(place, sink)
    await #expect(throws: ImportError.self) {
      try await ground.run(Self.texts(1...5000)) { $0.maximumFailures = 3 }
    }
    // Nothing that was added is added again, and nothing that was not sent is left out.
    let report = try await ground.run(Self.texts(1...5000))
    #expect(report.added == 4500 && report.failed == 500)
    #expect(sink.added.count == 4500 && Set(sink.added).count == 4500)
  }

  @Test("sends one key for a row each time", arguments: JournalPlace.allCases)
  func keys(place: JournalPlace) async throws {
    let sink = try TaskSink(.keyed) { text, time in
      text == "task 5" && time == 1 ? ServerResponse(status: 201, drop: .beforeResponse) : nil
    }
    let report = try await ImportGround(place, sink).run(Self.texts(1...20))
    #expect(report.added == 20)
    let keys = sink.arrivals.filter { $0.text == "task 5" }.map(\.key)
    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    #expect(Set(sink.arrivals.map(\.key)).count == 20)
  }

  @Test("sends no keys to a server that takes none", arguments: JournalPlace.allCases)
  func noKeys(place: JournalPlace) async throws {
    let sink = try TaskSink()
    try await ImportGround(place, sink).run(Self.texts(1...20)) { $0.concurrency = 2...2 }
    #expect(sink.arrivals.first?.key != nil && sink.arrivals.last?.key == nil)
  }

  /// The refusal of a second request says nothing about the first, which may be why.
  @Test("looks up a row whose repetition is refused", arguments: JournalPlace.allCases, [400, 403, 409, 422])
  func refusedRepetition(place: JournalPlace, status: Int) async throws {
    let habits = TaskSink.Habits(after: { text, time in
      text == "task 5" && time == 1 ? ServerResponse(status: 500) : nil
    })
    let sink = try TaskSink(.keyed, habits: habits) { text, time in
      text == "task 5" && time > 1 ? ServerResponse(status: status) : nil
    }
    let report = try await ImportGround(place, sink).run(Self.texts(1...20)) { $0.concurrency = 2...2 }
    #expect(report.added == 20 && report.unsettled == 0 && report.failed == 0)
    #expect(sink.added.count == 20)
  }

  @Test("leaves out a text that a task or an earlier row has", arguments: JournalPlace.allCases)
  func dedupe(place: JournalPlace) async throws {
    let sink = try TaskSink(.keyed, tasks: ["old"])
    let report = try await ImportGround(place, sink).run(["a", "old", "b", "a"]) { $0.dedupe = "text" }
    #expect(report.added == 2 && report.skipped == 2)
    #expect(sink.added.sorted() == ["a", "b", "old"])
  }

  // MARK: The same import again

  @Test("sends nothing again, and adds rows that have come since", arguments: JournalPlace.allCases)
  func again(place: JournalPlace) async throws {
    let sink = try TaskSink { text, _ in text == "task 3" ? ServerResponse(status: 400) : nil }
    let ground = try await ImportGround(place, sink)
    try await ground.run(Self.texts(1...20))
    let second = try await ground.run(Self.texts(1...20))
    #expect(second.total == 20 && second.added == 19 && second.addedBefore == 19 && second.failed == 1)
    #expect(sink.arrivals.count == 20)
    let third = try await ground.run(Self.texts(1...25))
    #expect(third.added == 24 && third.addedBefore == 19)
    #expect(sink.arrivals.count == 25)
  }

  @Test("refuses a source that has changed, and sends nothing", arguments: JournalPlace.allCases)
  func changed(place: JournalPlace) async throws {
    let sink = try TaskSink()
    let ground = try await ImportGround(place, sink)
    try await ground.run(Self.texts(1...5))
    for texts in [["task 1", "task 2", "other", "task 4", "task 5", "task 6"], Self.texts(1...4)] {
      let error = try await #require(throws: ImportError.self) { try await ground.run(texts) }
      #expect(error.code == "source_changed")
      #expect(error.message.hasPrefix("/home/alice/tasks.csv has changed since its import began: "))
      #expect(error.hint != nil)
    }
    #expect(sink.arrivals.count == 5)
  }

  @Test(
    "goes on after Ctrl-C, and adds every row once", arguments: JournalPlace.allCases, [TaskSink.Kind.plain, .keyed])
  func canceled(place: JournalPlace, kind: TaskSink.Kind) async throws {
    // Some texts several times, and some that were there before.
    let texts = (1...1200).map { "task \($0 % 150)" }
    let before = ["task 7", "task 7", "task 11", "other"]
    let sink = try TaskSink(kind, tasks: before)
    let ground = try await ImportGround(place, sink)
    for row in [30, 700] {
      let source = TextSource(texts)
      let running = Locked<Task<ImportReport, any Error>?>(nil)
      source.beforeRow = { if $0 == row { running.withLock { $0 }?.cancel() } }
      let task = HostActor.task { try await ground.run(source) }
      running.withLock { $0 = task }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let report = try await ground.run(texts)
    #expect(report.added == 1200)
    #expect(sink.added.sorted() == (texts + before).sorted())
  }

  @Test("does not send a row of unknown fate again", arguments: JournalPlace.allCases)
  func unsettled(place: JournalPlace) async throws {
    let sink = try TaskSink(.cut, tasks: Self.texts(1...19)) { text, time in
      text == "lost" && time == 1 ? ServerResponse(status: 201, drop: .beforeResponse) : nil
    }
    let ground = try await ImportGround(place, sink)
    for _ in 1...2 {
      let report = try await ground.run(["first", "lost", "last"])
      #expect(report.added == 2 && report.unsettled == 1)
      #expect(report.failures.map(\.row) == [2])
    }
    #expect(sink.arrivals.count { $0.text == "lost" } == 1)
  }
}
