import HTTPServer
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import TaskAPI
import Testing

/// Answers that say nothing, or the wrong thing, at servers with lists of all kinds: each text is on the server as often
/// as it is in the file, or its row is told as failed or unsettled.
@HostActor @Suite struct ImportAnswersTests {
  private nonisolated static let texts = (1...30).map { "task \($0)" }
  /// The rows that get the answer.
  private nonisolated static let struck = Set(texts.enumerated().filter { $0.offset % 10 == 3 }.map(\.element))

  /// Responses that do not tell if the task was added.
  nonisolated static let open: [ServerResponse] = [
    json(200, #"{"error": "quota"}"#), json(200, #"{"error": {"code": 7}, "Id": 12}"#), json(200, "{}"),
    json(201, #"{"Text": null}"#), json(200, #""added""#), json(200, "[]"), json(200, #"{"Id": 1"#),
    ServerResponse(status: 200, text: "<html>Sign in</html>", type: "text/html"), ServerResponse(status: 202),
    json(202, #"{"Id": 1}"#), json(203, #"{"Id": 1, "Text": "a"}"#), json(206, #"{"Id": 1}"#),
    ServerResponse(status: 301), ServerResponse(status: 302), ServerResponse(status: 303), ServerResponse(status: 500),
    ServerResponse(status: 502), ServerResponse(status: 504), ServerResponse(status: 201, drop: .beforeResponse),
  ]

  /// Answers that say that the server has not acted.
  nonisolated static let refusals: [ServerResponse] =
    [307, 400, 403, 404, 408, 409, 413, 415, 421, 422, 425, 429, 503].map { ServerResponse(status: $0) }
    + [ServerResponse(status: 429, headers: [("Retry-After", "0")])]

  private nonisolated static func json(_ status: Int, _ text: String) -> ServerResponse {
    ServerResponse(status: status, text: text, type: "application/json")
  }

  @Test(
    arguments: [TaskSink.Kind.plain, .keyed, .cut, .node, .shows(7), .listless], [false, true])
  func everyRowIsThereOnceOrTold(kind: TaskSink.Kind, isEachTime: Bool) async throws {
    for answer in Self.open {
      try await check(kind, answer, isTaken: true, isEachTime)
      if answer.drop == nil { try await check(kind, answer, isTaken: false, isEachTime) }
    }
    for answer in Self.refusals { try await check(kind, answer, isTaken: false, isEachTime) }
  }

  private func check(
    _ kind: TaskSink.Kind, _ answer: ServerResponse, isTaken: Bool, _ isEachTime: Bool
  ) async throws {
    let strike: @Sendable (String, Int) -> ServerResponse? = { text, time in
      Self.struck.contains(text) && (isEachTime || time == 1) ? answer : nil
    }
    let sink = try isTaken ? TaskSink(kind, habits: .init(after: strike)) : TaskSink(kind, refuse: strike)
    let engine = try await sink.engine(concurrency: 3) { $0.delays.longest = 0.05 }
    let comment = "\(kind) \(answer.status) taken: \(isTaken), each time: \(isEachTime)"
    do {
      try check(try await engine.run(TextSource(Self.texts)), sink, comment)
    } catch let error as ImportError {
      // The import stops only if the server takes none of the rows that are left.
      #expect(isEachTime && error.code == "stopped", "\(comment)")
      let report = engine.report
      #expect(Set(sink.added).count == sink.added.count, "\(comment)")
      #expect(report.added + report.failed + report.unsettled + report.unsent == Self.texts.count, "\(comment)")
      #expect((report.added...report.added + report.unsettled).contains(sink.added.count), "\(comment)")
    }
  }

  /// Checks that the report agrees with the server's tasks.
  private func check(_ report: ImportReport, _ sink: TaskSink, _ comment: String) throws {
    let told = Set(report.failures.map(\.text))
    let there = sink.added.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    for text in Self.texts where !told.contains(text) {
      #expect(there[text] == 1, "\(comment): \(text)")
    }
    // The server has no task of a failed row, and at most one task of an unsettled row.
    for failure in report.failures {
      #expect(there[failure.text, default: 0] <= (failure.isUnsettled ? 1 : 0), "\(comment): \(failure.text)")
    }
    #expect(report.added == Self.texts.count - told.count, "\(comment)")
    #expect(report.added + report.failed + report.unsettled == Self.texts.count, "\(comment)")
  }

  /// Nothing but such answers: the list is asked after a few of them, and tells that the tasks are there.
  @Test func serverThatNeverConfirmsIsLookedUp() async throws {
    let sink = try TaskSink(habits: .init(after: { _, _ in ServerResponse(status: 202) }))
    let report = try await sink.engine().run(TextSource(Self.texts))
    #expect(report.added == 30)
    #expect(sink.added.sorted() == Self.texts.sorted())
  }

  /// A page instead of an answer, for every row: no more than a few rows go there.
  @Test(arguments: [TaskSink.Kind.plain, .listless]) func serverThatTakesNothingStops(kind: TaskSink.Kind) async throws
  {
    let page = ServerResponse(text: "<html>Sign in</html>", type: "text/html")
    let sink = try TaskSink(kind, tasks: ["old"]) { _, _ in page }
    let engine = try await sink.engine(concurrency: 1)
    let error = try await #require(throws: ImportError.self) {
      try await engine.run(TextSource((1...1000).map { "task \($0)" }))
    }
    #expect(error.details["cause"] == "unexpected_body")
    #expect(engine.report.failed == 0)
    #expect(engine.report.unsettled == 10)
    #expect(sink.arrivals.count == 10)
  }

  /// A list that ends anywhere, before or behind the first task of the import: no row is there twice and not told.
  @Test(arguments: 0...14) func listThatIsCutAnywhere(most: Int) async throws {
    for lost in [Set(["task 1"]), ["task 6"], ["task 5", "task 6"], Set((1...6).map { "task \($0)" })] {
      let sink = try TaskSink(
        .shows(most), tasks: (1...6).map { "old \($0)" },
        habits: .init(after: { text, time in
          lost.contains(text) && time == 1 ? ServerResponse(status: 201, drop: .beforeResponse) : nil
        }))
      let texts = (1...6).map { "task \($0)" }
      let report = try await sink.engine(concurrency: 1, retries: 8) { $0.delays.longest = 1 }.run(TextSource(texts))
      let there = sink.added.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
      let unsettled = Set(report.failures.filter(\.isUnsettled).map(\.text))
      for text in texts where !unsettled.contains(text) { #expect(there[text] == 1, "\(most) \(lost): \(text)") }
      // A list that ends just behind what is known cannot be told from a whole one before one more row has been sent.
      #expect(there.values.reduce(0, +) <= 12 + 1, "\(most) \(lost)")
      if lost.count == 6 { #expect(report.added == min(6, max(0, most - 6)), "\(most)") }
    }
  }

  /// An answer with the ID of another row's task is no success of this row: the list tells whether it is there.
  @Test(arguments: [true, false]) func answersWithTheIDOfAnotherRow(isTaken: Bool) async throws {
    let twin = Self.json(200, #"{"Id": 1}"#)
    let sink =
      try isTaken
      ? TaskSink(habits: .init(after: { text, _ in text == "task 7" ? twin : nil }))
      : TaskSink(refuse: { text, _ in text == "task 7" ? twin : nil })
    let report = try await sink.engine(concurrency: 1).run(TextSource(Self.texts))
    #expect(report.added == (isTaken ? 30 : 29))
    #expect(Set(sink.added).count == sink.added.count)
    if !isTaken {
      let reason = try #require(report.failures.first?.reason)
      #expect(reason.contains("the answer has the ID of the task that row 1 got: 1"))
    }
  }

  /// The whole list of a server in the dialect of those that show 20.
  @Test func wholeListOfNodeSettles() async throws {
    let sink = try TaskSink(
      .node,
      habits: .init(after: { text, time in text.hasSuffix("7") && time == 1 ? ServerResponse(status: 500) : nil }))
    let report = try await sink.engine().run(TextSource((1...60).map { "task \($0)" }))
    #expect(report.added == 60)
    #expect(sink.added.count == 60)
  }

  /// A server that trims: rows that are not found under their text may be there under another.
  @Test(arguments: [true, false]) func changedTextsAreNotSentAgain(isTaken: Bool) async throws {
    let texts = (1...40).map { " task \($0) " }
    let strike: @Sendable (String, Int) -> ServerResponse? = { text, time in
      text.hasSuffix("7 ") && time == 1 ? ServerResponse(status: 500) : nil
    }
    let trim: @Sendable (String) -> String = { String($0.dropFirst().dropLast()) }
    let sink =
      try isTaken
      ? TaskSink(habits: .init(keeps: trim, after: strike)) : TaskSink(habits: .init(keeps: trim), refuse: strike)
    let engine = try await sink.engine()
    let report = try await engine.run(TextSource(texts))
    #expect(Set(sink.added).count == sink.added.count)
    #expect(report.added + report.unsettled == 40)
    if isTaken {
      #expect(report.failures.map(\.row).sorted() == [7, 17, 27, 37])
      #expect(report.failures[0].reason.hasSuffix("the server may have changed the text"))
    }
  }

  /// The report counts the tasks that this run added separately from the tasks of earlier runs.
  @Test func addedNow() async throws {
    let journal = try await ImportJournal.inMemory(TaskSink.identity)
    let sink = try TaskSink()
    let report = try await sink.engine(journal: journal).run(TextSource(["a", "b"]))
    #expect(report.addedNow == 2)
    var later = report
    later.addedBefore = 2
    #expect(later.addedNow == 0)
  }
}
