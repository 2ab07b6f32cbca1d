import Databases
import Glibc
import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// Looking at journals and forgetting them.
@HostActor @Suite struct JournalShelfTests {
  let folder = JournalFolder()
  var shelf: JournalShelf { JournalShelf(folder: folder.path, now: { 5000 }) }
  let other = ImportIdentity(
    source: "/home/alice/work/tasks.csv", account: "account-2", accountName: "bob", api: "https://tasks.example.com")

  /// A closed journal with one row added and one failed.
  @discardableResult
  func make(_ identity: ImportIdentity = JournalFolder.identity, now: Int = 1000) async throws -> String {
    let journal = try await ImportJournal.open(identity, in: folder.path, now: { now })
    try await journal.willSend([1, 2].map { JournalRow($0) })
    journal.settle(JournalRow(1), .addedAs(nil))
    journal.settle(JournalRow(2), .failed(failure(2, "refused", unsettled: false)))
    try await journal.finish(rows: 2)
    await journal.close()
    return try #require(journal.summary.shortID)
  }

  @Test func aFolderThatIsNotThereHoldsNone() throws {
    #expect(try JournalShelf(folder: "\(folder.path)/none").list().isEmpty)
  }

  @Test func journalsAreListedTheLatestFirst() async throws {
    let first = try await make(now: 1000)
    let second = try await make(other, now: 2000)
    let list = try shelf.list()
    #expect(list.map(\.shortID) == [second, first])
    #expect(first == String(JournalFolder.identity.fileName.prefix(8)))
    let summary = try #require(list.last)
    #expect(summary.identity == JournalFolder.identity)
    #expect([summary.created, summary.updated] == [1000, 1000])
    #expect([summary.rows, summary.counts.added, summary.counts.failed] == [2, 1, 1])
    #expect(summary.isFinished)
    #expect(summary.holder == nil)
    #expect(summary.trouble == nil)
  }

  @Test func anImportUnderWayIsSeenAndSaysWhoHasIt() async throws {
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path, now: { 1000 })
    try await journal.willSend([JournalRow(1)])
    let summary = try #require(try shelf.list().first)
    #expect(summary.counts.unknown == 1)
    #expect(summary.holder == JournalHolder(process: Int(getpid()), since: 1000))
    #expect(summary.holder?.isSelf == true)
    await journal.close()
  }

  @Test func aJournalAfterAKillIsListed() async throws {
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    try await journal.willSend([JournalRow(1)])
    let cut = folder.snapshot()
    #expect(cut.names.contains { $0.hasSuffix("-wal") })
    #expect(try JournalShelf(folder: cut.path).list().map(\.counts.unknown) == [1])
    await journal.close()
  }

  @Test func filesThatAreNoJournalsAreListedAsSuch() async throws {
    try await make()
    folder.write("diary.sqlite", Array("Dear diary, today I imported all my tasks.".utf8))
    folder.write("empty.sqlite", [])
    folder.write("notes.txt", Array("not looked at".utf8))
    let list = try shelf.list()
    #expect(list.count == 3)
    #expect(
      Set(list.compactMap(\.trouble?.message)) == [
        "the file \(folder.path)/diary.sqlite is not a journal of an import",
        "the journal \(folder.path)/empty.sqlite is damaged: it is empty",
      ])
    #expect(Set(list.compactMap(\.trouble?.code)) == ["journal_foreign", "journal_damaged"])
  }

  @Test func aJournalGoesByManyNames() async throws {
    let id = try await make()
    try await make(other)
    let path = "\(folder.path)/\(JournalFolder.identity.fileName).sqlite"
    for name in [
      id, String(id.prefix(4)), id.uppercased(), JournalFolder.identity.fileName, "/home/alice/tasks.csv", path,
    ] {
      #expect(try shelf.summary(name).identity == JournalFolder.identity, "\(name)")
    }
    let failures = try shelf.failures(id)
    let first = try failures.next()
    #expect(first?.failure == failure(2, "refused", unsettled: false).failure)
    // The row as a file of failed rows names it.
    #expect(first?.origin?.row == 2)
    #expect(try failures.next() == nil)
  }

  @Test func aNameThatIsWrongIsExplained() async throws {
    let id = try await make()
    let second = try await make(other)
    var error = #expect(throws: ImportError.self) { try shelf.summary("/home/alice/task.csv") }
    #expect(error?.code == "journal_unknown")
    #expect(error?.message == "there is no journal of an import by the name of /home/alice/task.csv")
    #expect(error?.hint == "did you mean /home/alice/tasks.csv? `b2c-run imports list` shows those there are")
    error = #expect(throws: ImportError.self) { try shelf.summary("zebra") }
    #expect(error?.hint == "`b2c-run imports list` shows those there are")
    error = #expect(throws: ImportError.self) { try shelf.summary("tasks.csv") }
    #expect(error?.message.hasPrefix("there are 2 journals of imports of tasks.csv: ") == true)
    #expect(error?.message.contains("\(JournalFolder.identity.fileName.prefix(12)) (tasks.csv for alice)") == true)
    #expect(error?.message.contains("\(other.fileName.prefix(12)) (tasks.csv for bob)") == true)
    #expect(error?.hint == "give more of the ID")
    #expect(id != second)
  }

  @Test func aForgottenJournalIsGone() async throws {
    let id = try await make()
    try await make(other)
    #expect(try shelf.forget(id).identity == JournalFolder.identity)
    #expect(folder.names == ["\(other.fileName).sqlite", "\(other.fileName).sqlite-seal"])
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    #expect(journal.isNew)
    await journal.close()
  }

  @Test func aJournalInUseIsNotForgotten() async throws {
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path, now: { 1000 })
    let error = #expect(throws: ImportError.self) { try shelf.forget("/home/alice/tasks.csv") }
    #expect(error?.code == "journal_held")
    try await journal.willSend([JournalRow(1)])
    #expect(try shelf.list().map(\.counts.unknown) == [1])
    await journal.close()
  }

  @Test func aDamagedJournalIsForgottenAndAForeignFileIsNot() async throws {
    folder.write("empty.sqlite", [])
    folder.write("diary.sqlite", Array("Dear diary".utf8))
    try shelf.forget("empty")
    let error = #expect(throws: ImportError.self) { try shelf.forget("diary") }
    #expect(error?.code == "journal_foreign")
    #expect(folder.names == ["diary.sqlite"])
  }
}
