import Core
import Files
import HTTPServer
import HostLoop
import ImportEngine
import ImportFormats
import Synchronization
import TaskAPI
import TestSupport
import Testing

/// Servers that do not answer, do not want to, or not now.
@HostActor @Suite struct ImportTroubleTests {
  private static func texts(_ count: Int) -> [String] { (1...count).map { "task \($0)" } }

  @Test func unreachableServerStops() async throws {
    let sink = try TaskSink()
    sink.stop()
    let engine = try await sink.engine { $0.keys.areHonored = true }
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(50))) }
    #expect(error.code == "stopped")
    #expect(error.details["cause"] == "unreachable")
    #expect(error.message.contains("cannot connect to \(sink.authority)"))
    #expect(error.message.hasPrefix("the import stopped at row "))
    let unsent = engine.report.unsent
    #expect(error.message.hasSuffix("; until then: 0 added, \(unsent) not sent"))
    #expect(engine.report.total == unsent)
    #expect(error.isRetryable)
  }

  /// The import needs the list of existing tasks before it sends the first row.
  @Test func listThatCannotBeReachedStops() async throws {
    let sink = try TaskSink()
    sink.stop()
    let engine = try await sink.engine()
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(50))) }
    #expect(error.code == "stopped")
    #expect(
      error.message.hasPrefix("the import stopped because the list of tasks could not be read: cannot connect to "))
    #expect(engine.report.total == 0)
  }

  @Test func refusedTokenStops() async throws {
    let sink = try TaskSink { text, _ in
      text == "task 3"
        ? ServerResponse(status: 401, headers: [("WWW-Authenticate", #"Bearer error="invalid_token""#)]) : nil
    }
    let engine = try await sink.engine(concurrency: 1)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(50))) }
    #expect(
      error.message == "the import stopped at row 3: POST http://\(sink.authority)/api/tasks was answered 401 "
        + "(the token is not accepted): invalid_token; until then: 2 added, \(engine.report.unsent) not sent")
    #expect(error.status == 401)
    #expect(error.details["added"] == "2")
    #expect(sink.added == ["task 1", "task 2"])
  }

  /// Gives another token each time one is refused.
  private final class Renewing: TokenProvider {
    let count = Mutex(0)
    func token(afterRejected rejected: Secret?) throws -> Secret {
      let number = count.withLock { (count: inout Int) -> Int in
        if rejected != nil { count += 1 }
        return count
      }
      return Secret("token \(number)")
    }
  }

  /// A server may learn of a new key a moment later than the tokens that are signed with it come.
  @Test func renewedTokenThatIsRefusedIsRenewedAgain() async throws {
    let sink = try TaskSink { text, time in text == "task 3" && time <= 6 ? ServerResponse(status: 401) : nil }
    let engine = try await sink.engine(concurrency: 1, tokens: Renewing())
    #expect(try await engine.run(TextSource(Self.texts(9))).added == 9)
    #expect(sink.arrivals.count { $0.text == "task 3" } == 7)
  }

  @Test func renewedTokensAreTriedAFewTimes() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 401) }
    let engine = try await sink.engine(concurrency: 1, retries: 3, tokens: Renewing())
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(9))) }
    #expect(error.message.contains("(the token is not accepted), with 3 further renewed tokens too"))
    #expect(engine.report.unsent == engine.report.total)
    #expect(sink.arrivals.count == 8)
  }

  /// The list, too, is asked with another token.
  @Test func listIsAskedWithAnotherToken() async throws {
    let sink = try TaskSink(habits: .init(list: { $0 <= 5 ? ServerResponse(status: 401) : nil }))
    #expect(try await sink.engine(tokens: Renewing()).run(TextSource(Self.texts(9))).added == 9)
  }

  /// A list that comes late is waited for, as the sending would be, and that is said once.
  @Test func serverThatIsAwayAtTheStartIsWaitedFor() async throws {
    let sink = try TaskSink(habits: .init(list: { $0 <= 4 ? ServerResponse(status: 503) : nil }))
    let engine = try await sink.engine { $0.delays.patience = 60 }
    var notices: [String] = []
    engine.events.watch(ImportEvent.self) { event, _ in if case .notice(let text) = event { notices.append(text) } }
    #expect(try await engine.run(TextSource(Self.texts(9))).added == 9)
    #expect(notices.count == 1)
    #expect(notices[0].hasSuffix("; trying again for up to 60.0 s (wait = 0, --wait 0: not at all)"))
  }

  @Test func noWaitStopsAtOnce() async throws {
    let sink = try TaskSink(habits: .init(list: { _ in ServerResponse(status: 503, headers: [("Retry-After", "30")]) }))
    let engine = try await sink.engine { $0.delays.patience = 0 }
    var notices: [String] = []
    engine.events.watch(ImportEvent.self) { event, _ in if case .notice(let text) = event { notices.append(text) } }
    await #expect(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(9))) }
    #expect(notices == [])
  }

  /// One row is asked to wait for longer than an import waits: the others are added, and then the import stops.
  @Test(arguments: [429, 503]) func longWaitOfOneRowHoldsNoOther(status: Int) async throws {
    let sink = try TaskSink { text, _ in
      text == "task 3" ? ServerResponse(status: status, headers: [("Retry-After", "3600")]) : nil
    }
    let engine = try await sink.engine(concurrency: 2)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(200))) }
    #expect(engine.report.added == 199)
    #expect(engine.report.unsent == 1)
    #expect(error.status == status)
  }

  /// All are asked: no more than were under way find out.
  @Test func longWaitOfAllStops() async throws {
    let sink = try TaskSink { text, _ in
      text.count > 6 ? ServerResponse(status: 503, headers: [("Retry-After", "3600")]) : nil
    }
    let engine = try await sink.engine(concurrency: 4)
    await #expect(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(200))) }
    #expect(engine.report.added == 9)
    #expect(sink.arrivals.count <= 9 + 5)
  }

  @Test func spentQuotaStopsAll() async throws {
    let sink = try TaskSink { text, _ in
      text == "task 3"
        ? ServerResponse(status: 429, headers: [("Retry-After", "3600"), ("RateLimit-Remaining", "0")]) : nil
    }
    let engine = try await sink.engine(concurrency: 1)
    await #expect(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(200))) }
    #expect(engine.report.added == 2)
  }

  /// 421 takes another connection, 408 and 425 another time.
  @Test(arguments: [408, 421, 425]) func whatWasNotTakenIsSentAgain(status: Int) async throws {
    let sink = try TaskSink { text, time in text.hasSuffix("3") && time <= 2 ? ServerResponse(status: status) : nil }
    #expect(try await sink.engine().run(TextSource(Self.texts(40))).added == 40)
    #expect(sink.added.sorted() == Self.texts(40).sorted())
  }

  @Test func noTokenStops() async throws {
    struct SignedOut: TokenProvider {
      func token(afterRejected rejected: Secret?) throws -> Secret {
        throw ImportError(kind: .unreadable, message: "signed out")
      }
    }
    let sink = try TaskSink()
    let engine = try await sink.engine(concurrency: 1, tokens: SignedOut()) { $0.keys.areHonored = true }
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(["a"])) }
    #expect(error.message == "the import stopped at row 1: signed out; until then: 0 added, 1 not sent")
    #expect(sink.arrivals == [])
  }

  @Test func tokenThatIsLateIsWaitedFor() async throws {
    final class Late: TokenProvider {
      let calls = Mutex(0)
      func token(afterRejected rejected: Secret?) throws -> Secret {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        // The provider is busy before the first row and in the middle.
        guard [1, 2, 8].contains(call) else { return Secret("good") }
        throw ImportError(kind: .stopped, message: "busy", isRetryable: true)
      }
    }
    let sink = try TaskSink()
    let report = try await sink.engine(tokens: Late()) { $0.delays.patience = 60 }.run(TextSource(Self.texts(20)))
    #expect(report.added == 20)
    #expect(sink.added.sorted() == Self.texts(20).sorted())
  }

  @Test(arguments: [
    ServerResponse(status: 429, headers: [("Retry-After", "0")]), ServerResponse(status: 503),
  ])
  func busyServerIsAskedAgain(busy: ServerResponse) async throws {
    let sink = try TaskSink { text, time in time <= 2 && text.hasSuffix("0") ? busy : nil }
    let engine = try await sink.engine(concurrency: 8)
    let report = try await engine.run(TextSource(Self.texts(100)))
    #expect(report.added == 100)
    // "Retry-After: 0" is over by the time it is read.
    #expect(engine.statistics.waits.values.allSatisfy { $0.seconds > 0 })
    #expect(sink.added.sorted() == Self.texts(100).sorted())
    #expect(sink.arrivals.count == 120)
  }

  @Test func serverThatStaysBusyStops() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 503) }
    let engine = try await sink.engine(concurrency: 1, retries: 3)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(9))) }
    #expect(error.status == 503)
    #expect((2...40).contains(sink.arrivals.count))
    #expect(engine.report.added == 0)
    #expect(engine.report.failed == 0)
    #expect(engine.report.unsent == engine.report.total)
  }

  /// One row that is always put off, while others get through, is that row's trouble.
  @Test func rowThatIsAlwaysPutOffFails() async throws {
    let sink = try TaskSink { text, _ in text == "task 1" ? ServerResponse(status: 503) : nil }
    let engine = try await sink.engine(concurrency: 2, retries: 1000)
    let report = try await engine.run(TextSource(Self.texts(40)))
    #expect(report.added == 39)
    #expect(report.failures.map(\.row) == [1])
  }

  @Test func longRetryAfterStops() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 429, headers: [("Retry-After", "3600")]) }
    let engine = try await sink.engine(concurrency: 1)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(["a"])) }
    #expect(error.hint?.contains(" UTC; --wait 3660 waits for that") == true)
    #expect(sink.arrivals.count == 1)
  }

  @Test func wrongAddressStops() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 404) }
    let engine = try await sink.engine(concurrency: 1)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(1000))) }
    #expect(error.details["cause"] == "not_found")
    // None of the rows is to blame.
    #expect(engine.report.failed == 0)
    #expect(engine.report.unsent == engine.report.total)
    #expect(sink.arrivals.count == 10)
  }

  /// Without a list and without keys, nothing is known of a request without an answer, and a server that gives none is
  /// left alone.
  @Test func serverThatNeverAnswersStops() async throws {
    let sink = try TaskSink(.listless) { _, _ in ServerResponse(status: 201, drop: .beforeResponse) }
    let engine = try await sink.engine(concurrency: 1, retries: 2)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(500))) }
    #expect(error.details["cause"] == "connection_lost")
    #expect(engine.report.unsettled == sink.arrivals.count)
    #expect(sink.arrivals.count < 40)
    #expect(Set(sink.arrivals.map(\.text)).count == sink.arrivals.count)
  }

  /// Answers are on their way when the import is canceled: they are waited for, and counted.
  @Test func cancellationDrains() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 201, delay: 0.05) }
    let engine = try await sink.engine(concurrency: 4)
    let source = TextSource(Self.texts(100))
    var run: Task<ImportReport, any Error>?
    source.beforeRow = { number in if number == 4 { run?.cancel() } }
    run = HostActor.task { try await engine.run(source) }
    let result = await run?.result
    #expect(throws: CancellationError.self) { try result?.get() }
    #expect(engine.report.added + engine.report.unsent == engine.report.total)
    #expect(engine.report.total < 100)
    #expect(engine.report.added == sink.arrivals.count)
  }

  /// The handler of failed rows of a script may wait for something that never comes, also between two rounds of requests.
  @Test func cancellationEndsAHandlerThatWaits() async throws {
    let sink = try TaskSink { text, _ in text == "task 2" ? ServerResponse(status: 404) : nil }
    let engine = try await sink.engine(concurrency: 1) { $0.delays.drain = 0 }
    var run: Task<ImportReport, any Error>?
    engine.onRowFailed = { _ in
      run?.cancel()
      try await HostLoop.shared.sleep(seconds: 1e9)
      return .keep
    }
    run = HostActor.task { try await engine.run(TextSource(Self.texts(2))) }
    let result = await run?.result
    #expect(throws: CancellationError.self) { try result?.get() }
    #expect(engine.report.added == 1)
  }

  @Test func brokenRowFailsAlone() async throws {
    let file = TemporaryFile("Text,Due\none,\ntwo,\nthree,\"never closed\nfour,\n")
    let sink = try TaskSink()
    let report = try await sink.engine().run(FileRowSource(CSVReader(path: file.path)))
    #expect(report.failed == 1)
    #expect(report.failures.map(\.code) == ["unclosed_quote"])
    #expect(report.failures.map(\.line) == [4])
    #expect(sink.added.sorted() == ["four", "one", "two"])
  }

  @Test func brokenFileSaysWhatWasDone() async throws {
    let file = TemporaryFile("[\"one\", \"two\", {\"text\"", name: "tasks.json")
    let sink = try TaskSink()
    let engine = try await sink.engine()
    let source = try SourceFile(file.path) { try OpenFile(file.path, $0) }
    let error = try await #require(throws: ImportError.self) {
      try await engine.run(FileRowSource(RecordReaders.open(source)))
    }
    #expect(error.code == "invalid_json")
    #expect(
      error.description
        == "\(file.path):1, column 23: the text is cut off inside element 3; until then: 2 added")
    #expect(sink.added.sorted() == ["one", "two"])
  }
}
