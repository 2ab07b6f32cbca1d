import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// A source that has changed since it was imported.
@HostActor @Suite struct JournalMatchTests {
  let folder = JournalFolder()

  func open(_ folder: JournalFolder? = nil, now: Int = 1000) async throws -> ImportJournal {
    try await ImportJournal.open(JournalFolder.identity, in: (folder ?? self.folder).path, now: { now })
  }

  /// Rows 1 and 2 added, 3 failed, 4 unsettled, 5 skipped, 6 sent, 7 not sent; 8 is row 1 once more, added too.
  func imported() async throws -> ImportJournal {
    let journal = try await open()
    try await journal.setBaseline(total: 1, counts: [1001: 1])
    let again = JournalRow(row: 8, fingerprint: JournalRow(1).fingerprint, textHash: 1001)
    try await journal.willSend([1, 2, 3, 4, 6, 7].map { JournalRow($0) } + [again])
    for row in [JournalRow(1), JournalRow(2), again] { journal.settle(row, .addedAs(nil)) }
    journal.settle(JournalRow(3), .failed(failure(3, "refused", unsettled: false)))
    journal.settle(JournalRow(4), .unsettled(failure(4, "no answer", unsettled: true)))
    journal.settle(JournalRow(row: 5, fingerprint: JournalRow(5).fingerprint), .skipped)
    journal.settle(JournalRow(7), .notSent)
    try await journal.flush()
    return journal
  }

  /// Matches with a source of these rows, by the numbers they had.
  func match(_ journal: ImportJournal, _ rows: [Int]) async throws -> Int {
    let match = try await journal.match()
    for (index, row) in rows.enumerated() {
      try await match.add(fingerprint: JournalRow(row).fingerprint, line: index + 10)
    }
    return try await match.finish()
  }

  @Test func rowsKeepWhatBecameOfThemWhereverTheyStandNow() async throws {
    var journal = try await imported()
    let id = journal.id
    #expect(try await match(journal, [9, 6, 5, 4, 3, 2, 1, 7, 1, 1]) == 7)
    for isReopened in [false, true] {
      if isReopened {
        await journal.close()
        journal = try await open()
      }
      let rows = try journal.allKnownRows()
      #expect(
        rows.map(\.state)
          == [.pending, .sent, .skipped, .unsettled, .failed, .added, .added, .pending, .added, .pending])
      #expect(rows.map(\.fingerprint) == [9, 6, 5, 4, 3, 2, 1, 7, 1, 1].map { JournalRow($0).fingerprint })
      #expect(rows[1].sentAt == 1000)
      #expect(rows[5].textHash == JournalRow(2).textHash)
      #expect(try await journal.allFailures().map(\.failure.row) == [4, 5])
      #expect(try await journal.allFailures().map(\.failure.line) == [13, 14])
      #expect(try await journal.allFailures().map(\.failure.text) == ["Task 4", "Task 3"])
      #expect(journal.summary.counts.added == 3)
      // A key that the server may know stays with its row, and no other row gets one that was used.
      #expect(journal.keyStem(of: 2) == "\(id)-6")
      #expect(journal.keyStem(of: 4) == "\(id)-4")
      #expect(journal.id != id)
      #expect(journal.keyStem(of: 1) == "\(journal.id)-1")
    }
    await journal.close()
  }

  @Test func anUnknownRowKeepsItsKeyThroughSeveralChanges() async throws {
    let journal = try await imported()
    let id = journal.id
    _ = try await match(journal, [9, 6])
    #expect(try await match(journal, [9, 9, 9, 6]) == 1)
    #expect(journal.keyStem(of: 4) == "\(id)-6")
    #expect(try journal.allKnownRows().map(\.state) == [.pending, .pending, .pending, .sent])
    await journal.close()
  }

  @Test func tasksOfRowsThatAreGoneCountAsThereBefore() async throws {
    let journal = try await imported()
    #expect(try await match(journal, [1]) == 1)
    #expect(try await journal.knownTasks(of: [])?.totalBefore == 3)
    #expect(try await journal.knownTasks(of: [1001, 1002, 1003])?.before == [1001: 2, 1002: 1])
    #expect(try await journal.knownTasks(of: [1001, 1002])?.added == [1001: 1])
    // The tasks of rows 4 and 6 may exist.
    #expect(try await journal.knownTasks(of: [1003, 1004, 1006])?.lost == [1004: 1, 1006: 1])
    await journal.close()
  }

  @Test func aKillBeforeTheEndLeavesTheJournalAsItWas() async throws {
    let journal = try await imported()
    let rows = try journal.allKnownRows()
    let match = try await journal.match()
    for row in 1...5000 { try await match.add(fingerprint: JournalRow(row).fingerprint, line: nil) }
    let cut = folder.snapshot()
    let next = try await open(cut)
    #expect(try next.allKnownRows() == rows)
    #expect(next.id == journal.id)
    // And it can be done after all.
    #expect(try await self.match(next, [6, 2]) == 2)
    #expect(try next.allKnownRows().map(\.state) == [.sent, .added])
    await next.close()
    _ = try await match.finish()
    #expect(try journal.allKnownRows().count == 5000)
    await journal.close()
  }

  @Test func startingAnewForgetsAllButTheAPI() async throws {
    var journal = try await imported()
    let id = journal.id
    journal.setHonorsIdempotencyKey(true)
    await journal.close()
    journal = try await open(now: 2000)
    try await journal.startAnew()
    for isReopened in [false, true] {
      if isReopened {
        await journal.close()
        journal = try await open()
      }
      #expect(try journal.allKnownRows().isEmpty)
      #expect(try await journal.allFailures().isEmpty)
      #expect(journal.id != id)
      #expect(journal.summary.created == 2000)
      #expect(journal.summary.rows == 0)
      #expect(!journal.hasBaseline)
      #expect(journal.honorsIdempotencyKey == true)
    }
    await journal.close()
  }
}
