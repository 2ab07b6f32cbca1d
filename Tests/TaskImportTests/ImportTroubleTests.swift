import Diagnostics
import HTTPServer
import HostLoop
import Secrets
import TaskAPI
import TaskImport
import Testing

/// Servers that do not answer, do not want to, or not now.
@HostActor @Suite struct ImportTroubleTests {
  private static func texts(_ count: Int) -> [String] { (1...count).map { "task \($0)" } }

  @Test func unreachableServerStops() async throws {
    let sink = try TaskSink()
    sink.stop()
    let engine = try sink.engine()
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(50))) }
    #expect(error.code == "stopped")
    #expect(error.details["cause"] == "unreachable")
    #expect(error.message.contains("cannot connect to \(sink.authority)"))
    #expect(error.message.hasPrefix("the import stopped at row "))
    #expect(error.message.hasSuffix("; until then: 0 added, 4 not added"))
    #expect(error.report?.unsent == 4)
    #expect(error.isRetryable)
  }

  @Test func refusedTokenStops() async throws {
    let sink = try TaskSink { text, _ in
      text == "task 3"
        ? ServerResponse(status: 401, headers: [("WWW-Authenticate", #"Bearer error="invalid_token""#)]) : nil
    }
    let engine = try sink.engine(concurrency: 1)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(50))) }
    #expect(
      error.message == "the import stopped at row 3: POST http://\(sink.authority)/api/tasks was answered 401 "
        + "(the token is not accepted): invalid_token; until then: 2 added, 1 not added")
    #expect(error.status == 401)
    #expect(error.details["added"] == "2")
    #expect(sink.added == ["task 1", "task 2"])
  }

  @Test func noTokenStops() async throws {
    struct SignedOut: TokenProvider {
      func token(afterRejected rejected: Secret?) throws -> Secret {
        throw ImportError(kind: .unreadable, message: "signed out")
      }
    }
    let sink = try TaskSink()
    let engine = try sink.engine(concurrency: 1, tokens: SignedOut())
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(["a"])) }
    #expect(error.message == "the import stopped at row 1: signed out; until then: 0 added, 1 not added")
    #expect(sink.arrivals == [])
  }

  @Test(arguments: [
    ServerResponse(status: 429, headers: [("Retry-After", "0")]), ServerResponse(status: 503),
  ])
  func busyServerIsAskedAgain(busy: ServerResponse) async throws {
    let sink = try TaskSink { text, time in time <= 2 && text.hasSuffix("0") ? busy : nil }
    let report = try await sink.engine(concurrency: 8).run(TextSource(Self.texts(100)))
    #expect(report.added == 100)
    #expect(sink.added.sorted() == Self.texts(100).sorted())
    #expect(sink.arrivals.count == 120)
  }

  @Test func serverThatStaysBusyStops() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 503) }
    let engine = try sink.engine(concurrency: 1, retries: 3)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(9))) }
    #expect(error.status == 503)
    #expect(sink.arrivals.map(\.text) == ["task 1", "task 1", "task 1", "task 1"])
  }

  /// One row that is always put off, while others get through, is that row's trouble.
  @Test func rowThatIsAlwaysPutOffFails() async throws {
    let sink = try TaskSink { text, _ in text == "task 1" ? ServerResponse(status: 503) : nil }
    let engine = try sink.engine(concurrency: 2, retries: 1000)
    let report = try await engine.run(TextSource(Self.texts(40)))
    #expect(report.added == 39)
    #expect(report.failures.map(\.row) == [1])
  }

  @Test func longRetryAfterStops() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 429, headers: [("Retry-After", "3600")]) }
    let engine = try sink.engine(concurrency: 1)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(["a"])) }
    #expect(error.hint == "try again in 3600 s")
    #expect(sink.arrivals.count == 1)
  }

  @Test func wrongAddressStops() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 404) }
    let engine = try sink.engine(concurrency: 1)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(1000))) }
    #expect(error.details["cause"] == "not_found")
    #expect(error.report?.failed == 10)
    #expect(sink.arrivals.count == 10)
  }

  @Test(arguments: [ServerResponse.Drop.beforeResponse, .midResponse])
  func requestWithoutAnswerIsNotRepeated(drop: ServerResponse.Drop) async throws {
    let sink = try TaskSink { text, _ in
      text == "task 5" ? ServerResponse(status: 201, body: [UInt8]("{}".utf8), drop: drop) : nil
    }
    let report = try await sink.engine().run(TextSource(Self.texts(20)))
    #expect(report.added == 19)
    #expect(sink.arrivals.count { $0.text == "task 5" } == 1)
    let failure = try #require(report.failures.first)
    #expect(failure.row == 5)
    #expect(failure.isUnsettled)
    #expect(failure.code == "connection_lost")
    #expect(failure.reason.hasSuffix(": the task may have been added"))
  }

  @Test func requestWithoutAnswerIsRepeatedWithItsKey() async throws {
    let sink = try TaskSink { text, time in
      text == "task 5" && time == 1 ? ServerResponse(status: 201, drop: .beforeResponse) : nil
    }
    let report = try await sink.engine(honorsIdempotencyKey: true).run(TextSource(Self.texts(20)))
    #expect(report.added == 20)
    let keys = sink.arrivals.filter { $0.text == "task 5" }.map(\.key)
    #expect(keys.count == 2)
    #expect(keys[0] != nil && keys[0] == keys[1])
    #expect(Set(sink.arrivals.map(\.key)).count == 20)
  }

  @Test func unsettledToTheEndIsSaid() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 201, drop: .beforeResponse) }
    let engine = try sink.engine(concurrency: 1, retries: 2, honorsIdempotencyKey: true)
    let error = try await #require(throws: ImportError.self) { try await engine.run(TextSource(Self.texts(5))) }
    #expect(error.report?.failures.map(\.isUnsettled) == [true])
    #expect(error.report?.unsent == 0)
    #expect(sink.arrivals.count == 3)
  }

  /// Answers are on their way when the import is canceled: they are waited for, and counted.
  @Test func cancellationDrains() async throws {
    let sink = try TaskSink { _, _ in ServerResponse(status: 201, delay: 0.05) }
    let engine = try sink.engine(concurrency: 4)
    let source = TextSource(Self.texts(100))
    var run: Task<ImportReport, any Error>?
    source.beforeRow = { number in if number == 4 { run?.cancel() } }
    run = HostActor.task { try await engine.run(source) }
    let result = await run?.result
    #expect(throws: CancellationError.self) { try result?.get() }
    #expect(engine.report.added + engine.report.unsent == 4)
    #expect(engine.report.added == sink.arrivals.count)
  }

  @Test func brokenFileSaysWhatWasDone() async throws {
    let file = TemporaryFile("Text,Due\none,\ntwo,\nthree,\"never closed\nfour,\n")
    let sink = try TaskSink()
    let engine = try sink.engine()
    let error = try await #require(throws: ImportError.self) {
      try await engine.run(CSVRowSource(CSVReader(path: file.path)))
    }
    #expect(error.code == "unclosed_quote")
    #expect(
      error.description == "\(file.path):4: the quote that opens a field here is never closed; until then: 2 added "
        + "(a quote inside a quoted field is written twice)")
    #expect(sink.added.sorted() == ["one", "two"])
  }
}
