import Databases
import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// A disk that fills up while a journal is written: SQLite is told that its file may grow no more.
@HostActor @Suite struct JournalDiskTests {
  let folder = JournalFolder()
  var path: String { "\(folder.path)/\(JournalFolder.identity.fileName).sqlite" }

  /// Sends and settles blocks of 256 rows until the journal takes no more.
  func fill(_ journal: ImportJournal) async throws -> (blocks: Int, error: ImportError?) {
    for block in 0..<100 {
      let rows = (1...256).map { JournalRow(block * 256 + $0) }
      do { try await journal.willSend(rows) } catch { return (block, error) }
      for row in rows { journal.settle(row, .addedAs(nil)) }
    }
    return (100, nil)
  }

  func limit(_ journal: ImportJournal, pages: Int) async throws {
    _ = try journal.thread.read { try $0.database.execute("PRAGMA max_page_count = \(pages)") }
  }

  @Test func nothingIsSentThatCannotBeWrittenDown() async throws {
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    try await limit(journal, pages: 60)
    let (blocks, error) = try await fill(journal)
    #expect(blocks > 2)
    #expect(blocks < 100)
    #expect(error?.code == "journal_full")
    #expect(error?.message == "the disk with the journal \(path) is full")
    #expect(error?.hint == "make room and import again: it continues where it ended")
    // Once is enough, also when there is room again.
    try await limit(journal, pages: 1_000_000)
    let again = await #expect(throws: ImportError.self) { try await journal.willSend([JournalRow(1)]) }
    #expect(again?.code == "journal_full")
    await journal.close()
    let next = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    let rows = try next.allKnownRows()
    // The last block may have been answered without anybody's having written it down; what was on disk before is true.
    #expect(rows.prefix((blocks - 1) * 256).allSatisfy { $0.state == .added })
    #expect(rows.prefix(blocks * 256).allSatisfy { $0.state == .added || $0.state == .sent })
    #expect(rows.dropFirst(blocks * 256).allSatisfy { $0.state == .pending })
    #expect(rows.count >= blocks * 256)
    #expect(try await fill(next).error == nil)
    await next.close()
  }

  @Test func theRoomKeptBackTakesWhatBecameOfTheRowsOnTheirWay() async throws {
    let database = try SQLiteConnection(path: path)
    let record = JournalRecord(JournalFolder.identity, now: 1000)
    try JournalSchema.make(database, record)
    let place = try JournalFiles.place(path)
    let seal = try JournalSeal.make(place, journal: record.mark)
    try database.execute("PRAGMA max_page_count = 60")
    let store = try JournalStore(database, record, JournalCounts(), seal: seal, now: { 1000 })
    let ended = CancellableWait<Void>()
    // The reserve is so many pages.
    let reserve = Locked<(@Sendable () -> Bool)?>(nil)
    let thread = JournalThread(
      store, freeReserve: { reserve.withLock { $0 }?() ?? false },
      onEnd: { HostActor.task { ended.finish(.success(())) } })
    reserve.withLock { freeing in
      freeing = { [weak thread] in
        (try? thread?.read { try $0.database.execute("PRAGMA max_page_count = 90") }) != nil
      }
    }
    #expect(thread.start())
    let journal = ImportJournal(thread, record, [:], path: path, isNew: true, ended: ended)
    let (blocks, error) = try await fill(journal)
    #expect(error?.code == "journal_full")
    let next = JournalRow(row: 100_000, fingerprint: 1)
    journal.settle(next, .skipped)
    let still = await #expect(throws: ImportError.self) { try await journal.flush() }
    #expect(still?.code == "journal_full")
    await journal.close()
    let reopened = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    let rows = try reopened.allKnownRows()
    #expect(rows.prefix(blocks * 256).allSatisfy { $0.state == .added })
    // A row that the journal could not record was not sent.
    #expect(rows.dropFirst(blocks * 256).map(\.state) == Array(repeating: .pending, count: 256) + [.skipped])
    await reopened.close()
  }

  @Test func theLockKeepsRoomBack() throws {
    guard case .taken(let lock) = try JournalLock.take(JournalFiles.place(path), now: 1000) else {
      Issue.record("nobody else holds it")
      return
    }
    #expect(folder.contents("\(JournalFolder.identity.fileName).sqlite-lock").count == 4096 + 512 << 10)
    #expect(lock.freeReserve())
    #expect(!lock.freeReserve())
    #expect(try JournalLock.holder(JournalFiles.place(path))?.since == 1000)
  }
}
