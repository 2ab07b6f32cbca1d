import Databases
import Files
import Glibc
import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// Tests of journal files, and files beside them, that an attacker made.
@HostActor @Suite struct JournalHostileTests {
  let folder = JournalFolder()
  let name = "j.db"
  var path: String { "\(folder.path)/\(name)" }
  let victim = Array("a file of somebody's".utf8)

  func open() async throws -> ImportJournal {
    try await ImportJournal.open(JournalFolder.identity, file: OutputPlace(path, exact: Array(path.utf8)))
  }

  /// A journal with a row that was added.
  func make() async throws {
    let journal = try await open()
    try await journal.willSend([JournalRow(1)])
    journal.settle(JournalRow(1), .addedAs(nil))
    await journal.close()
  }

  func expectVictim() { #expect(folder.contents("victim") == victim) }

  /// A hot rollback journal that names a super-journal has SQLite remove that file.
  @Test func aForgedRollbackJournalIsNotLookedAt() async throws {
    try await make()
    folder.write("victim", victim)
    let whole = folder.contents(name)
    var header: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 0]
    header += [1, 2, 3, 4] + Self.bytes(whole.count / 4096) + Self.bytes(512) + Self.bytes(4096)
    header += [UInt8](repeating: 0, count: 512 - header.count)
    let named = Array("\(folder.path)/victim".utf8)
    // The page of the lock, the name, its length and checksum, and the magic number again.
    header += Self.bytes(0x4000_0000 / 4096 + 1) + named + Self.bytes(named.count)
    header += Self.bytes(named.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }) + header.prefix(8)
    folder.write("\(name)-journal", header)
    let journal = try await open()
    #expect(try journal.allKnownRows().count == 1)
    await journal.close()
    expectVictim()
    #expect(folder.contents("\(name)-journal") == header)
    #expect(folder.contents(name).count == whole.count)
  }

  @Test(arguments: ["-wal", "-seal", "-lock", "-journal", "-shm", ""]) func aLinkIsNotFollowed(_ ending: String)
    async throws
  {
    try await make()
    folder.write("victim", victim)
    unlink(path + ending)
    #expect(symlink("\(folder.path)/victim", path + ending) == 0)
    do {
      let journal = try await open()
      try await journal.willSend([JournalRow(2)])
      await journal.close()
    } catch let error as ImportError {
      #expect(error.code.hasPrefix("journal_"), "\(error)")
    }
    expectVictim()
  }

  @Test(arguments: ["-wal", "-seal", "-lock"]) func aSecondNameOfAFileIsNotWritten(_ ending: String) async throws {
    try await make()
    folder.write("victim", victim)
    unlink(path + ending)
    #expect(link("\(folder.path)/victim", path + ending) == 0)
    await #expect(throws: ImportError.self) {
      let journal = try await open()
      try await journal.willSend([JournalRow(2)])
    }
    expectVictim()
  }

  @Test(arguments: ["-wal", "-seal", "-lock", ""]) func aPipeIsNotWaitedFor(_ ending: String) async throws {
    try await make()
    unlink(path + ending)
    #expect(mkfifo(path + ending, 0o600) == 0)
    await #expect(throws: ImportError.self) { try await open() }
  }

  @Test(
    arguments: [
      "CREATE TRIGGER t AFTER UPDATE ON journal BEGIN DELETE FROM rows; END",
      "CREATE VIEW v AS SELECT 1",
      "CREATE TABLE more (a)",
      "CREATE INDEX i ON lost (text_hash)",
      "DROP TABLE lost; CREATE TABLE lost (text_hash INTEGER NOT NULL DEFAULT (randomblob(1000000000))) STRICT",
      "DROP TABLE lost; CREATE VIRTUAL TABLE lost USING fts5(text_hash)",
    ]) func anotherSchemaIsRefused(_ sql: String) async throws
  {
    try await make()
    do { try SQLiteConnection(path: path).executeScript(sql) }
    let error = await #expect(throws: ImportError.self) { try await open() }
    #expect(error?.code == "journal_damaged")
  }

  @Test(
    arguments: [
      "UPDATE journal SET added = 9223372036854775807, sent = 9223372036854775807",
      "UPDATE journal SET created = -9223372036854775808",
      "UPDATE rows SET chunk = 9223372036854775807",
      "UPDATE rows SET chunk = 16000000",
      "UPDATE rows SET chunk = -9223372036854775808",
      "UPDATE outcomes SET ids = x'00ffffffffffffffff7f'",
      "UPDATE rows SET times = zeroblob(5)",
    ]) func impossibleNumbersAreRefused(_ sql: String) async throws
  {
    try await make()
    do { try SQLiteConnection(path: path).executeScript(sql) }
    let error = await #expect(throws: ImportError.self) { try await open() }
    #expect(error?.code == "journal_damaged")
    #expect(throws: Never.self) { _ = try JournalShelf(folder: folder.path).summary(path) }
  }

  @Test func aFolderThatIsMovedIsTheSameFolder() async throws {
    try await make()
    let journal = try await open()
    let moved = JournalFolder()
    rmdir(moved.path)
    #expect(rename(folder.path, moved.path) == 0)
    mkdir(folder.path, 0o700)
    try await journal.willSend([JournalRow(2)])
    await journal.close()
    #expect(folder.names == [])
    #expect(moved.names == [name, "\(name)-seal"])
  }

  /// The journal's file is opened again in its place: a link that has replaced the file is not followed.
  @Test func aJournalThatWasFoundStaysTheSameFile() async throws {
    try await make()
    let outside = JournalFolder()
    for ending in ["", "-seal"] { outside.write(name + ending, folder.contents(name + ending)) }
    let shelf = JournalShelf(folder: "\(folder.path)/none")
    let found = try shelf.summary(path, among: [], file: OutputPlace(path, exact: Array(path.utf8)))
    #expect(found.identity == JournalFolder.identity)
    #expect(rename(folder.path, "\(folder.path).moved") == 0)
    #expect(symlink(outside.path, folder.path) == 0)
    defer {
      unlink(folder.path)
      rename("\(folder.path).moved", folder.path)
    }
    #expect(throws: ImportError.self) { try shelf.forget(found) }
    #expect(throws: ImportError.self) { try shelf.failures(of: found) }
    #expect(throws: ImportError.self) {
      try shelf.summary(path, among: [], file: OutputPlace(path, exact: Array(path.utf8)))
    }
    #expect(outside.names == [name, "\(name)-seal"])
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
  }
}
