import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// Tests of a journal's content after each stage, in the run that wrote it and in the next run.
@HostActor @Suite struct JournalTests {
  let folder = JournalFolder()

  func open(_ folder: JournalFolder? = nil, now: Int = 1_700_000_000) async throws -> ImportJournal {
    try await ImportJournal.open(JournalFolder.identity, in: (folder ?? self.folder).path, now: { now })
  }

  @Test func aNewJournalKnowsNothing() async throws {
    let journal = try await open()
    #expect(journal.isNew)
    #expect(try journal.allKnownRows().isEmpty)
    #expect(journal.summary.rows == 0)
    #expect(!journal.summary.isFinished)
    #expect(journal.summary.identity == JournalFolder.identity)
    #expect(journal.summary.created == 1_700_000_000)
    #expect(journal.honorsIdempotencyKey == nil)
    #expect(!journal.hasBaseline)
    #expect(journal.path == "\(folder.path)/\(JournalFolder.identity.fileName).sqlite")
    await journal.close()
    let name = "\(JournalFolder.identity.fileName).sqlite"
    #expect(folder.names == [name, "\(name)-seal"])
  }

  @Test func rowsAreOnDiskBeforeTheyAreSent() async throws {
    let journal = try await open()
    try await journal.willSend((1...300).map { JournalRow($0) })
    let cut = folder.snapshot()
    let next = try await open(cut, now: 1_700_000_060)
    #expect(!next.isNew)
    #expect(next.id == journal.id)
    let rows = try next.allKnownRows()
    #expect(rows.count == 300)
    for (index, row) in rows.enumerated() {
      let expected = JournalRow(index + 1)
      #expect(
        row
          == KnownRow(
            row: index + 1, fingerprint: expected.fingerprint, textHash: expected.textHash, state: .sent,
            sentAt: 1_700_000_000))
    }
    #expect(next.summary.counts.unknown == 300)
    await next.close()
    await journal.close()
  }

  @Test func outcomesAreKept() async throws {
    let journal = try await open()
    try await journal.willSend([1, 2, 3, 4, 5, 6].map { JournalRow($0) })
    journal.settle(JournalRow(2), .addedAs(nil))
    journal.settle(JournalRow(1), .addedAs(nil))
    let refused = failure(3, "the text is too long", unsettled: false)
    journal.settle(JournalRow(3), .failed(refused))
    let lost = failure(4, "no answer", unsettled: true)
    journal.settle(JournalRow(4), .unsettled(lost))
    journal.settle(JournalRow(5), .notSent)
    journal.settle(JournalRow(row: 7, fingerprint: 77), .skipped)
    try await journal.flush()
    let states: [RowState] = [.added, .added, .failed, .unsettled, .pending, .sent, .skipped]
    let cut = folder.snapshot()
    let next = try await open(cut)
    #expect(try next.allKnownRows().map(\.state) == states)
    #expect(try next.allKnownRows().last?.fingerprint == 77)
    #expect(try await next.allFailures().map(\.failure) == [refused, lost].map(\.failure))
    for summary in [journal.summary, next.summary] {
      #expect(summary.rows == 7)
      #expect(
        [
          summary.counts.added, summary.counts.skipped, summary.counts.failed, summary.counts.unsettled,
          summary.counts.unknown,
        ] == [2, 1, 1, 1, 1])
    }
    await next.close()
    await journal.close()
  }

  @Test func anOutcomeIsWrittenWithoutAnybodyWaiting() async throws {
    let journal = try await open()
    try await journal.willSend([JournalRow(1)])
    journal.settle(JournalRow(1), .addedAs(nil))
    while journal.summary.counts.added == 0 { try await HostLoop.shared.sleep(seconds: 0.01) }
    let next = try await open(folder.snapshot())
    #expect(try next.allKnownRows().map(\.state) == [.added])
    await next.close()
    await journal.close()
  }

  @Test func aFinishedJournalSaysSoUntilThereIsMore() async throws {
    var journal = try await open()
    try await journal.willSend([JournalRow(1)])
    journal.settle(JournalRow(1), .addedAs(nil))
    try await journal.finish(rows: 1)
    await journal.close()
    journal = try await open()
    #expect(journal.summary.isFinished)
    try await journal.willSend([JournalRow(2)])
    #expect(!journal.summary.isFinished)
    await journal.close()
    journal = try await open()
    #expect(!journal.summary.isFinished)
    await journal.close()
  }

  @Test func aRowThatIsSentAgainKeepsTheTimeItWasFirstSentWhileItsFateIsUnknown() async throws {
    var journal = try await open(now: 1000)
    try await journal.willSend([1, 2, 3].map { JournalRow($0) })
    journal.settle(JournalRow(2), .notSent)
    await journal.close()
    journal = try await open(now: 2000)
    try await journal.willSend([1, 2, 3].map { JournalRow($0) })
    // This run did not get to send them after all; what became of the earlier requests is no clearer.
    for row in 1...3 { journal.settle(JournalRow(row), .notSent) }
    // The list shows that this one is not there.
    journal.settle(JournalRow(3), .absent)
    await journal.close()
    journal = try await open(now: 3000)
    let rows = try journal.allKnownRows()
    #expect(rows.map(\.state) == [.sent, .pending, .pending])
    #expect(rows.map(\.sentAt) == [1000, nil, nil])
    try await journal.willSend([2, 3].map { JournalRow($0) })
    try await journal.flush()
    #expect(try journal.allKnownRows().map(\.sentAt) == [1000, 3000, 3000])
    await journal.close()
  }

  @Test func aFailedRowThatIsSentAgainIsNoFailureAnyMore() async throws {
    let journal = try await open()
    try await journal.willSend([JournalRow(1)])
    journal.settle(JournalRow(1), .failed(failure(1, "refused", unsettled: false)))
    #expect(try await journal.allFailures().count == 1)
    try await journal.willSend([JournalRow(1)])
    #expect(try await journal.allFailures().isEmpty)
    journal.settle(JournalRow(1), .addedAs(nil))
    try await journal.flush()
    #expect(journal.summary.counts.added == 1)
    #expect(journal.summary.counts.failed == 0)
    await journal.close()
  }

  @Test func whatWasFoundOutIsKept() async throws {
    var journal = try await open()
    let id = journal.id
    journal.setHonorsIdempotencyKey(true)
    try await journal.setBaseline(total: 5, counts: [7: 2, 9: 3])
    await journal.close()
    journal = try await open()
    #expect(journal.id == id)
    #expect(journal.honorsIdempotencyKey == true)
    #expect(try await journal.knownTasks(of: [])?.totalBefore == 5)
    #expect(try await journal.knownTasks(of: [7, 8, 9])?.before == [7: 2, 9: 3])
    try await journal.setBaseline(total: 1, counts: [8: 1])
    #expect(try await journal.knownTasks(of: [7, 8, 9])?.before == [8: 1])
    await journal.close()
  }

  @Test func textsOfAddedRowsAreCounted() async throws {
    let journal = try await open()
    try await journal.willSend((1...1000).map { JournalRow($0) })
    for row in 1...900 { journal.settle(JournalRow(row), .addedAs(nil)) }
    try await journal.setBaseline(total: 0, counts: [:])
    #expect(try await journal.knownTasks(of: [1003, 1004, 5])?.added == [1003: 90, 1004: 90])
    #expect(journal.summary.counts.added == 900)
    await journal.close()
  }

  @Test func aJournalInMemoryDoesTheSame() async throws {
    let journal = try await ImportJournal.inMemory(JournalFolder.identity)
    #expect(journal.path == nil)
    try await journal.willSend((1...1000).map { JournalRow($0) })
    for row in 1...999 { journal.settle(JournalRow(row), .addedAs(nil)) }
    journal.settle(JournalRow(1000), .failed(failure(1000, "no", unsettled: false)))
    #expect(try await journal.allFailures().map(\.failure.row) == [1000])
    try await journal.setBaseline(total: 0, counts: [:])
    #expect(try await journal.knownTasks(of: [1003])?.added == [1003: 100])
    #expect(journal.summary.counts.added == 999)
    #expect(journal.summary.shortID == nil)
    await journal.close()
  }
}

func failure(_ row: Int, _ reason: String, unsettled: Bool) -> JournalFailure {
  JournalFailure(
    RowFailure(
      row: row, line: row + 1, reason: reason, code: "conflict", status: 409, text: "Task \(row)",
      isUnsettled: unsettled), content: #"{"text":"Task \#(row)"}"#)
}
