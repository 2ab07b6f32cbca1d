import Databases
import Glibc
import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// A journal that was damaged stops the import, or still knows every row that was sent.
@HostActor @Suite struct JournalDamageTests {
  static let name = "\(JournalFolder.identity.fileName).sqlite"
  static let rows = 600
  nonisolated static let files = ["", "-wal", "-seal"]

  /// The files of a journal of which every row was sent, as a kill leaves them or as the end of the run does, and an older
  /// copy of them.
  func make(isClosed: Bool) async throws -> (now: JournalFolder, older: JournalFolder) {
    let folder = JournalFolder()
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    try await journal.setBaseline(total: 3, counts: [1000: 2, 7: 1])
    try await send(1...256, journal)
    await journal.close()
    let next = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    try await send(257...400, next)
    let older = folder.snapshot()
    try await send(401...Self.rows, next)
    next.settle(JournalRow(Self.rows), .failed(JournalFailure(RowFailure(Self.rows), content: "{}")))
    try await next.flush()
    if !isClosed {
      let now = folder.snapshot()
      await next.close()
      return (now, older)
    }
    await next.close()
    return (folder, older)
  }

  private func send(_ rows: ClosedRange<Int>, _ journal: ImportJournal) async throws {
    try await journal.willSend(rows.map { JournalRow($0) })
    for row in rows where row % 2 == 0 { journal.settle(JournalRow(row), .addedAs(nil)) }
    try await journal.flush()
  }

  /// Returns true if the import goes on. Then the journal must know every row that was sent.
  @discardableResult
  func goesOn(_ folder: JournalFolder, _ damage: String) async throws -> Bool {
    do {
      let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
      let known = try journal.allKnownRows()
      #expect(known.count == Self.rows, "\(damage)")
      #expect(
        known.allSatisfy { $0.state != .pending && $0.fingerprint == JournalRow($0.row).fingerprint }, "\(damage)")
      #expect(try await journal.knownTasks(of: [1000, 7])?.before == [1000: 2, 7: 1], "\(damage)")
      await journal.close()
      return true
    } catch let error as ImportError {
      #expect(["journal_damaged", "journal_foreign", "journal_too_new"].contains(error.code), "\(damage): \(error)")
      return false
    }
  }

  @Test(arguments: [false, true]) func whatIsWholeGoesOn(isClosed: Bool) async throws {
    let (now, _) = try await make(isClosed: isClosed)
    #expect(now.names.contains("\(Self.name)-wal") == !isClosed)
    #expect(try await goesOn(now, "no damage"))
    #expect(try await goesOn(now, "no damage, once more"))
  }

  @Test(arguments: [false, true], files) func aFlippedBit(isClosed: Bool, file: String) async throws {
    let (now, _) = try await make(isClosed: isClosed)
    let whole = now.contents(Self.name + file)
    let step = max(1, whole.count / 60)
    for offset in stride(from: 0, to: whole.count, by: step) {
      let copy = now.snapshot()
      var bytes = whole
      let place = min(offset + offset % 97, bytes.count - 1)
      bytes[place] ^= 1 << UInt8(place % 8)
      copy.write(Self.name + file, bytes)
      try await goesOn(copy, "bit \(place % 8) of byte \(place) of \(file)")
    }
  }

  @Test(arguments: [false, true], files) func anEndThatIsMissing(isClosed: Bool, file: String) async throws {
    let (now, _) = try await make(isClosed: isClosed)
    let whole = now.contents(Self.name + file)
    for part in 0..<12 where !whole.isEmpty {
      let copy = now.snapshot()
      copy.write(Self.name + file, Array(whole.prefix(whole.count * part / 12)))
      try await goesOn(copy, "\(file) cut to \(part) of 12 parts")
    }
  }

  @Test(arguments: [false, true], files) func aFileThatIsGone(isClosed: Bool, file: String) async throws {
    let (now, _) = try await make(isClosed: isClosed)
    unlink("\(now.path)/\(Self.name)\(file)")
    #expect(try await goesOn(now, "\(file) gone") == (isClosed && file == "-wal"))
  }

  @Test(arguments: [false, true], files) func anOlderCopy(isClosed: Bool, file: String) async throws {
    let (now, older) = try await make(isClosed: isClosed)
    now.write(Self.name + file, older.contents(Self.name + file))
    try await goesOn(now, "an older \(file)")
  }

  @Test func anOlderCopyOfAllButTheSeal() async throws {
    let (now, older) = try await make(isClosed: true)
    for file in ["", "-wal"] { now.write(Self.name + file, older.contents(Self.name + file)) }
    let error = await #expect(throws: ImportError.self) {
      try await ImportJournal.open(JournalFolder.identity, in: now.path)
    }
    #expect(
      error?.message
        == "the journal \(now.path)/\(Self.name) is damaged: the last of what was written to it is missing")
    #expect(error?.hint?.contains("--resume no --dedupe text") == true)
    #expect(try JournalShelf(folder: now.path).list().first?.trouble?.message == error?.message)
  }

  @Test func importingAnewKeepsTheDamagedOne() async throws {
    let (now, _) = try await make(isClosed: true)
    let bytes = now.contents(Self.name)
    now.write(Self.name, Array(bytes.prefix(4096)))
    let journal = try await ImportJournal.open(JournalFolder.identity, in: now.path, replacesDamaged: true)
    #expect(journal.isNew)
    await journal.close()
    #expect(now.contents("\(Self.name).damaged") == Array(bytes.prefix(4096)))
    #expect(try JournalShelf(folder: now.path).list().count == 1)
    let next = try await ImportJournal.open(JournalFolder.identity, in: now.path)
    await next.close()
  }

  @Test func forgettingADamagedOneForgetsItsSeal() async throws {
    let (now, _) = try await make(isClosed: true)
    now.write(Self.name, [])
    try JournalShelf(folder: now.path).forget(JournalFolder.identity.fileName)
    #expect(now.names == [])
    let next = try await ImportJournal.open(JournalFolder.identity, in: now.path)
    #expect(next.isNew)
    await next.close()
  }

  @Test func aFirstRunThatCameToNothingIsNoDamage() async throws {
    let folder = JournalFolder()
    let place = try JournalFiles.place("\(folder.path)/\(Self.name)")
    folder.write(Self.name, [])
    _ = try JournalSeal.make(place, journal: 1)
    let journal = try await ImportJournal.open(JournalFolder.identity, in: folder.path)
    #expect(journal.isNew)
    await journal.close()
  }
}

extension RowFailure {
  fileprivate init(_ row: Int) { self.init(row: row, line: row, reason: "no", code: "bad_request", text: "text") }
}
