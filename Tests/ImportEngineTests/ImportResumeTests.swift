import Databases
import Files
import Glibc
import HTTPServer
import HostLoop
import ImportFormats
import ImportJournal
import TaskAPI
import TestSupport
import Testing

@testable import ImportEngine

/// The same import again: after its end, after a crash, and with another file.
@HostActor @Suite struct ImportResumeTests {
  private let folder = TemporaryFolder()
  private var file: String { folder.path("journal.sqlite") }

  private func journal() async throws -> ImportJournal {
    try await ImportJournal.open(TaskSink.identity, file: file)
  }

  /// One run of an import, its journal opened and closed.
  @discardableResult
  private func run(
    _ texts: [String], _ sink: TaskSink, concurrency: Int = 4, _ change: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> ImportReport {
    let journal = try await journal()
    let engine = try await sink.engine(concurrency: concurrency, journal: journal, change)
    let result: Result<ImportReport, any Error>
    do {
      if engine.options.resume == .match { _ = try await journal.match(TextSource(texts)) }
      result = .success(try await engine.run(TextSource(texts)))
    } catch {
      result = .failure(error)
    }
    await journal.close()
    return try result.get()
  }

  /// Runs an import until the server has had so many requests and leaves the journal as a kill at that moment would.
  private func killed(after requests: Int, _ texts: [String], _ sink: TaskSink) async throws {
    let journal = try await journal()
    let engine = try await sink.engine(concurrency: 8, journal: journal)
    let run = HostActor.task { try await engine.run(TextSource(texts)) }
    while sink.arrivals.count < requests { try await HostLoop.shared.sleep(seconds: 0.002) }
    // The seal first: a copy of it that is newer than the others would tell of commits that they lack.
    let copies = ["-seal", "", "-wal"].map { (file + $0, folder.path("copy.sqlite") + $0) }
    for (from, to) in copies { try copyFile(from, to) }
    run.cancel()
    _ = await run.result
    await journal.close()
    unlink(file + "-wal")
    unlink(file + "-shm")
    for (from, to) in copies where access(to, F_OK) == 0 { rename(to, from) }
  }

  private nonisolated static func texts(_ range: ClosedRange<Int>) -> [String] { range.map { "task \($0)" } }

  @Test func changedSourceIsExplainedAndNothingSent() async throws {
    let sink = try TaskSink()
    try await run(Self.texts(1...5), sink)
    let error = try await #require(throws: ImportError.self) {
      try await run(["task 1", "task 2", "other", "task 4", "task 5", "task 6"], sink)
    }
    #expect(error.code == "source_changed")
    #expect(
      error.message
        == "/home/alice/tasks.csv has changed since its import began: row 3 differs from the row imported "
        + "before")
    #expect(
      error.hint == "nothing was sent. Bring the old file back to continue with it; or import with --resume match "
        + "(resume = \"match\" in a script), which leaves out every row that was imported before, wherever it stands now; or with "
        + "--resume no (resume = \"no\" in a script), which imports every row as new")
    let shorter = try await #require(throws: ImportError.self) { try await run(Self.texts(1...4), sink) }
    #expect(
      shorter.message.hasPrefix(
        "/home/alice/tasks.csv has changed since its import began: it ends before row 5, which was imported before"))
    #expect(sink.arrivals.count == 5)
  }

  @Test func matchingLeavesOutWhatWasImported() async throws {
    let sink = try TaskSink()
    try await run(["milk", "bread", "milk", "eggs"], sink)
    let changed = ["new", "milk", "eggs", "milk", "milk", "bread"]
    let report = try await run(changed, sink) { $0.resume = .match }
    #expect(report.added == 6)
    #expect(report.addedBefore == 4)
    #expect(sink.added.sorted() == ["bread", "eggs", "milk", "milk", "milk", "new"])
    // From then on it is the journal of the changed file.
    #expect(try await run(changed, sink).addedBefore == 6)
  }

  /// Whoever always matches does so the first time, too, when nothing is known.
  @Test(arguments: [texts(1...600), Array(repeating: "milk", count: 600)])
  func matchingTheFirstTime(texts: [String]) async throws {
    let sink = try TaskSink()
    let journal = try await journal()
    let engine = try await sink.engine(journal: journal) { $0.resume = .match }
    let report = try await engine.run(TextSource(texts))
    await journal.close()
    #expect(report.added == 600)
    #expect(sink.added.sorted() == texts.sorted())
  }

  /// A row of unknown fate was changed, its text was not: what is there may be by it, as it was then or as it is now.
  @Test(arguments: [(there: 0, added: 1, unsettled: 0), (1, 0, 1), (2, 1, 0)])
  func rowsThatAreGoneLeaveADoubt(there: Int, added: Int, unsettled: Int) async throws {
    let journal = try await journal()
    try await journal.setBaseline(total: 0, counts: [:])
    try await journal.willSend([JournalRow(row: 1, fingerprint: 1, textHash: StableHash.of("milk"))])
    let match = try await journal.match()
    let source = TextSource(["milk"])
    let record = try #require(try await source.next())
    try await match.add(fingerprint: record.fingerprint, line: nil)
    #expect(try await match.finish() == 0)
    try await journal.willSend([
      JournalRow(row: 1, fingerprint: record.fingerprint, textHash: StableHash.of("milk"))
    ])
    await journal.close()
    let sink = try TaskSink(tasks: Array(repeating: "milk", count: there))
    let report = try await run(["milk"], sink)
    #expect(report.added == added)
    #expect(report.unsettled == unsettled)
    #expect(sink.arrivals.count == (there == 0 ? 1 : 0))
    if unsettled == 1 {
      #expect(
        report.failures[0].reason.contains("a row that the source no longer has may have added the task that is there"))
    }
  }

  @Test func anewImportsEverythingOnceMore() async throws {
    let sink = try TaskSink()
    try await run(["milk", "bread"], sink)
    let report = try await run(["milk", "bread"], sink) { $0.resume = .no }
    #expect(report.added == 2)
    #expect(report.addedBefore == 0)
    #expect(sink.added.sorted() == ["bread", "bread", "milk", "milk"])
    #expect(try await run(["milk", "bread"], sink).addedBefore == 2)
  }

  /// A resumed import does not repeat finished rows, and does not call the map for them again.
  @Test func knownRowsAreNotMappedAgain() async throws {
    let sink = try TaskSink()
    try await run(Self.texts(1...20), sink)
    let journal = try await journal()
    let engine = try await sink.engine(journal: journal)
    let source = TextSource(Self.texts(1...22))
    _ = try await engine.run(source)
    await journal.close()
    #expect(source.drafted == [21, 22])
  }

  @Test(arguments: [TaskSink.Kind.plain, .keyed])
  func killedImportGoesOn(kind: TaskSink.Kind) async throws {
    // Some texts several times, and some that were there before.
    let texts = (1...400).map { "task \($0 % 150)" }
    let before = ["task 7", "task 7", "task 11", "other"]
    let sink = try TaskSink(kind, tasks: before) { _, _ in ServerResponse(status: 201, delay: 0.002) }
    for requests in [30, 100, 101, 250] { try await killed(after: requests, texts, sink) }
    let report = try await run(texts, sink)
    #expect(report.added == 400)
    #expect(sink.added.sorted() == (texts + before).sorted())
  }

  @Test func fateThatCannotBeFoundOutIsTheUsersToSay() async throws {
    let sink = try TaskSink(.cut, tasks: Self.texts(1...19)) { text, time in
      text == "lost" && time == 1 ? ServerResponse(status: 201, drop: .beforeResponse) : nil
    }
    let texts = ["first", "lost", "last"]
    let report = try await run(texts, sink)
    #expect(report.added == 2)
    #expect(report.unsettled == 1)
    #expect(report.failures.map(\.row) == [2])
    #expect(report.failures[0].reason.hasSuffix(": the server shows 20 tasks only"))
    // Neither claimed nor sent again.
    #expect(try await run(texts, sink).unsettled == 1)
    #expect(sink.arrivals.count { $0.text == "lost" } == 1)
    let skipped = try await run(texts, sink) { $0.unsettled = .skip }
    #expect(skipped.unsettled == 0)
    #expect(skipped.skipped == 1)
    #expect(sink.arrivals.count { $0.text == "lost" } == 1)
  }

  @Test func unsettledRowIsSentAgainWhenThePersonSaysSo() async throws {
    let sink = try TaskSink(.listless) { text, time in
      text == "lost" && time == 1 ? ServerResponse(status: 500) : nil
    }
    #expect(try await run(["first", "lost"], sink).unsettled == 1)
    let report = try await run(["first", "lost"], sink) { $0.unsettled = .resend }
    #expect(report.added == 2)
    #expect(sink.added.sorted() == ["first", "lost"])
    #expect(try await run(["first", "lost"], sink).addedBefore == 2)
  }

  @Test func changedShortTextIsNoticed() async throws {
    let sink = try TaskSink()
    try await run(["12"], sink)
    let error = try await #require(throws: ImportError.self) { try await run(["123"], sink) }
    #expect(error.code == "source_changed")
  }

  /// A journal whose hashes are without lengths goes on with these, also where the source has changed, until it begins anew.
  @Test func oldHashesAreGoneOnWith() async throws {
    let texts = Self.texts(1...20)
    let made = try await journal()
    try await made.setBaseline(total: 0, counts: [:])
    let rows = StableHash.$isOfOldJournal.withValue(true) {
      texts.enumerated().map { number, text in
        JournalRow(row: number + 1, fingerprint: StableHash.of(text), textHash: StableHash.of(text))
      }
    }
    try await made.willSend(rows)
    for row in rows.dropLast() { made.settle(row, .addedAs(nil)) }
    await made.close()
    try setVersion(2)
    let sink = try TaskSink(tasks: texts)
    #expect(try await run(texts + ["new"], sink).addedBefore == 19)
    let report = try await run(["newer"] + texts + ["new"], sink) { $0.resume = .match }
    #expect(report.addedBefore == 21)
    #expect(sink.added == texts + ["new", "newer"])
    #expect(try version() == 2)
    #expect(try await run(["12"], sink) { $0.resume = .no }.added == 1)
    #expect(try version() == 4)
    #expect(try await run(["12"], sink).addedBefore == 1)
  }

  private func version() throws -> Int64? { try SQLiteConnection(path: file).first("PRAGMA user_version")?[0].integer }

  private func setVersion(_ version: Int) throws {
    try SQLiteConnection(path: file).executeScript(
      "DROP TABLE names; PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Rows that were written down and not sent, and rows that were never to be sent.
  @Test func rowsWrittenDownBeforeAreDeduped() async throws {
    let texts = Self.texts(1...60)
    let refusing = try TaskSink { text, _ in text < "task 3" ? nil : ServerResponse(status: 403) }
    await #expect(throws: ImportError.self) { try await run(texts, refusing) { $0.dedupe = "text" } }
    let sink = try TaskSink(tasks: texts)
    let report = try await run(texts, sink) { $0.dedupe = "text" }
    #expect(report.added + report.skipped + report.failed == 60)
    #expect(report.addedBefore == report.added)
    #expect(sink.arrivals.isEmpty)
  }

  @Test func rowThatWasNotToBeSentIsDeduped() async throws {
    let journal = try await journal()
    try await journal.setBaseline(total: 1, counts: [StableHash.of("milk"): 1])
    try await journal.willSend([JournalRow(row: 1, fingerprint: StableHash.of("milk"))])
    await journal.close()
    let sink = try TaskSink(tasks: ["milk"])
    #expect(try await run(["milk"], sink) { $0.dedupe = "text" }.skipped == 1)
    #expect(sink.arrivals.isEmpty)
  }

  /// The clock was set back since then, so the age of the key is unknown.
  @Test func keyOfATimeToComeIsNotUsed() async throws {
    let journal = try await ImportJournal.open(
      TaskSink.identity, file: OutputPlace(file), now: { time(nil) + 30 * 24 * 60 * 60 })
    try await journal.setBaseline(total: 0, counts: [:])
    journal.setHonorsIdempotencyKey(true)
    let milk = StableHash.of("milk")
    try await journal.willSend([JournalRow(row: 1, fingerprint: milk, textHash: milk)])
    await journal.close()
    let sink = try TaskSink(.keyed, tasks: ["milk"])
    #expect(try await run(["milk"], sink).added == 1)
    #expect(sink.arrivals.isEmpty)
  }
}

/// A copy of a file that another is writing; nothing where there is none.
func copyFile(_ from: String, _ to: String) throws {
  guard let source = fopen(from, "rb") else { return }
  defer { fclose(source) }
  let target = try #require(fopen(to, "wb"))
  defer { fclose(target) }
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&buffer, 1, buffer.count, source), count > 0 { fwrite(buffer, 1, count, target) }
}
