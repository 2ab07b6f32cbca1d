import Glibc
import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// A journal of a million rows: correct, small on disk, and read in one pass.
@HostActor @Suite struct JournalSizeTests {
  let folder = JournalFolder()

  @Test func aMillionRows() async throws {
    let count = 1_000_000
    let clock = ContinuousClock()
    var start = clock.now
    var journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    for first in stride(from: 1, through: count, by: 4096) {
      let rows = (first...min(first + 4095, count)).map { JournalRow($0) }
      try await journal.willSend(rows)
      for row in rows.reversed() where row.row != 777_777 { journal.settle(row, .addedAs(nil)) }
    }
    try await journal.finish(rows: count)
    await journal.close()
    let writing = clock.now - start
    var status = stat()
    let path = try #require(journal.path)
    #expect(stat(path, &status) == 0)
    #expect(status.st_size < count * 40)
    start = clock.now
    journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    let rows = try journal.knownRows()
    var number = 0
    while let row = try rows.next() {
      number += 1
      let expected = JournalRow(number)
      guard row.row == number, row.fingerprint == expected.fingerprint, row.textHash == expected.textHash,
        row.state == (number == 777_777 ? .sent : .added)
      else {
        Issue.record("row \(number) came back as \(row)")
        break
      }
    }
    #expect(number == count)
    #expect(journal.summary.counts.added == count - 1)
    #expect(journal.summary.counts.unknown == 1)
    print("written in \(writing), \(status.st_size) bytes, read in \(clock.now - start)")
    await journal.close()
  }

  /// Rows that are not sent pass no `willSend`, which would wait for the disk.
  @Test func rowsThatAreSkippedDoNotPileUp() async throws {
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    let content = String(repeating: "x", count: 100_000)
    for row in 1...1000 {
      let reason = RowFailure(row: row, line: nil, reason: "too long", code: "bad_request", text: "")
      journal.settle(JournalRow(row), .failed(JournalFailure(reason, content: content)))
    }
    for row in 1001...200_000 { journal.settle(JournalRow(row), .skipped) }
    try await journal.flush()
    #expect(journal.summary.counts.failed == 1000)
    #expect(journal.summary.counts.skipped == 199_000)
    #expect(try await journal.allFailures().allSatisfy { $0.content == content })
    await journal.close()
  }
}
