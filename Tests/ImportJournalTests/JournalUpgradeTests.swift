import Databases
import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// A journal of version 1, which had no digests and no seal.
@HostActor @Suite struct JournalUpgradeTests {
  static let name = JournalDamageTests.name

  /// Such a journal, of which some rows were added and some were sent.
  private func make() async throws -> JournalFolder {
    let folder = JournalFolder()
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    try await send(1...300, journal)
    await journal.close()
    let database = try SQLiteConnection(path: "\(folder.path)/\(Self.name)")
    let tables = JournalSchema.tables(version: 1)
    let columns = """
      id, source, account, account_name, api, created, updated, honors_key, baseline_total, finished_rows, pending, added,
      skipped, failed, unsettled, sent
      """
    try database.executeScript(
      """
      ALTER TABLE journal RENAME TO newer;
      \(tables["journal"] ?? "");
      INSERT INTO journal (\(columns)) SELECT \(columns) FROM newer;
      DROP TABLE newer;
      DROP TABLE failures;
      DROP TABLE names;
      \(tables["failures"] ?? "");
      PRAGMA user_version = 1;
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
    let copy = JournalFolder()
    copy.write(Self.name, folder.contents(Self.name))
    return copy
  }

  private func send(_ rows: ClosedRange<Int>, _ journal: ImportJournal) async throws {
    try await journal.willSend(rows.map { JournalRow($0) })
    for row in rows where row % 2 == 0 { journal.settle(JournalRow(row), .addedAs(nil)) }
    try await journal.flush()
  }

  private func knownRows(_ folder: JournalFolder) async throws -> Int {
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    let known = try journal.allKnownRows()
    await journal.close()
    return known.count
  }

  @Test func knowsItsRowsAndIsSealed() async throws {
    let folder = try await make()
    #expect(folder.names == [Self.name])
    #expect(try await knownRows(folder) == 300)
    #expect(folder.names.contains("\(Self.name)-seal"))
    #expect(try await knownRows(folder) == 300)
  }

  /// The seal is made first, and says nothing yet.
  @Test(arguments: [true, false]) func anUpgradeThatWasInterrupted(isWritten: Bool) async throws {
    let folder = try await make()
    let seal = try JournalSeal.make(JournalFiles.place("\(folder.path)/\(Self.name)"), journal: 5)
    if !isWritten { folder.write("\(Self.name)-seal", []) }
    #expect(try await knownRows(folder) == 300)
    withExtendedLifetime(seal) {}
  }

  @Test func theFileFromBeforeTheUpgradeIsDamage() async throws {
    let folder = try await make()
    let before = folder.contents(Self.name)
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    try await send(301...400, journal)
    // As after a kill: the upgrade and the rows are in the log alone.
    let killed = folder.snapshot()
    await journal.close()
    killed.write("\(Self.name)-wal", Array(killed.contents("\(Self.name)-wal").prefix(1000)))
    folder.write(Self.name, before)
    for copy in [killed, folder] {
      let error = await #expect(throws: ImportError.self) {
        try await ImportJournal.open(JournalFolder.identity, in: copy.path)
      }
      #expect(error?.code == "journal_damaged")
      #expect(try JournalShelf(folder: copy.path).list().first?.trouble?.code == "journal_damaged")
    }
  }

  @Test func aFirstRunEndedWhileItMadeTheSeal() async throws {
    let folder = JournalFolder()
    folder.write("\(Self.name)-seal", [])
    #expect(try await knownRows(folder) == 0)
  }
}
