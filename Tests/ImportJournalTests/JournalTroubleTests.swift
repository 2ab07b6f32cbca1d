import Databases
import Glibc
import HostLoop
import ImportEngine
import ImportFormats
import Testing

@testable import ImportJournal

/// Tests of unusable journals, and of their messages for the user.
@HostActor @Suite struct JournalTroubleTests {
  let folder = JournalFolder()
  var path: String { "\(folder.path)/\(name)" }
  let name = "\(JournalFolder.identity.fileName).sqlite"

  func open(_ identity: ImportIdentity = JournalFolder.identity, now: Int = 1_700_000_000) async throws -> ImportJournal
  {
    try await ImportJournal.open(identity, in: folder.path, now: { now })
  }

  func errorOfOpening(_ identity: ImportIdentity = JournalFolder.identity, now: Int = 1_700_000_000) async
    -> ImportError?
  {
    await #expect(throws: ImportError.self) { try await open(identity, now: now) }
  }

  // MARK: Two at a time

  @Test func anotherProcessHasIt() async throws {
    let journal = try await open()
    try await journal.willSend([JournalRow(1)])
    await journal.close()
    let since = 1_700_000_000 - 3600
    let holder = try LockHolder(journal: path, since: since)
    let error = await errorOfOpening()
    #expect(error?.code == "journal_held")
    let process = holder.processID
    let clock = JournalHolder(process: 1, since: since).sinceText(now: 1_700_000_000)
    #expect(
      error?.message
        == "tasks.csv is being imported by process \(process) since \(clock), which holds the journal \(path)")
    #expect(
      error?.hint
        == "wait until it is done, or end it with `kill -INT \(process)` and import again: it continues where it ended")
    #expect((try JournalLock.holder(JournalFiles.place(path))) == JournalHolder(process: process, since: since))
    #expect(throws: ImportError.self) { try JournalShelf(folder: folder.path).forget("/home/alice/tasks.csv") }
    holder.kill()
    #expect((try JournalLock.holder(JournalFiles.place(path))) == nil)
    let next = try await open()
    #expect(try next.allKnownRows().count == 1)
    await next.close()
    #expect(folder.names == [name, "\(name)-seal"])
  }

  @Test func anotherProcessHasItAndItsLockFileWasRemoved() async throws {
    let journal = try await open()
    try await journal.willSend([JournalRow(1)])
    unlink("\(path)-lock")
    #expect(await errorOfOpening()?.code == "journal_held")
    #expect(throws: ImportError.self) { try JournalShelf(folder: folder.path).forget("/home/alice/tasks.csv") }
    await journal.close()
    let next = try await open()
    #expect(try next.allKnownRows().count == 1)
    await next.close()
  }

  @Test func theTimeSinceWhenHasADayWhenThatIsNotToday() {
    let holder = JournalHolder(process: 1, since: 1_700_000_000)
    let clock = /\d\d:\d\d/
    #expect(holder.sinceText(now: 1_700_000_000).wholeMatch(of: clock) != nil)
    #expect(holder.sinceText(now: 1_700_000_000 + 86400).wholeMatch(of: /2023-11-1\d \d\d:\d\d/) != nil)
  }

  @Test func theSameProcessHasIt() async throws {
    let journal = try await open()
    let error = await errorOfOpening()
    #expect(error?.message.hasPrefix("tasks.csv is being imported by another import of this process since ") == true)
    await journal.close()
    await (try open()).close()
  }

  @Test func aJournalThatIsDroppedIsClosed() async throws {
    do { _ = try await open() }
    while (try JournalLock.holder(JournalFiles.place(path))) != nil { try await HostLoop.shared.sleep(seconds: 0.01) }
    await (try open()).close()
  }

  // MARK: Files

  @Test func aNewerVersionIsLeftAlone() async throws {
    await (try open()).close()
    do {
      let database = try SQLiteConnection(path: path)
      try database.executeScript("PRAGMA user_version = 7")
    }
    let bytes = folder.contents(name)
    let error = await errorOfOpening()
    #expect(error?.code == "journal_too_new")
    #expect(
      error?.message == "the journal \(path) has version 7, written by a newer b2c-run; this one knows version 4")
    #expect(error?.hint == "use the newer b2c-run; the journal was not changed")
    #expect(folder.contents(name) == bytes)
    #expect(folder.names == [name, "\(name)-seal"])
    #expect(try JournalShelf(folder: folder.path).list().first?.trouble?.message == error?.message)
  }

  @Test(arguments: ["Text,Due\nBuy milk,2024-01-01\n", String(repeating: "Dear diary, ", count: 100)])
  func aFileThatIsNoJournalIsLeftAlone(_ text: String) async throws {
    folder.write(name, Array(text.utf8))
    let error = await errorOfOpening()
    #expect(error?.code == "journal_foreign")
    #expect(error?.message == "the file \(path) is not a journal of an import")
    #expect(
      error?.hint == "give another file with --journal, or move this one away; it has been left as it is")
    #expect(folder.contents(name) == Array(text.utf8))
    #expect(folder.names == [name])
  }

  @Test func anotherProgramsDatabaseIsLeftAlone() async throws {
    do {
      let database = try SQLiteConnection(path: path)
      try database.execute("CREATE TABLE things (value)")
    }
    let bytes = folder.contents(name)
    #expect(await errorOfOpening()?.code == "journal_foreign")
    #expect(folder.contents(name) == bytes)
  }

  @Test func aFolderInPlaceOfTheFileIsNoJournal() async throws {
    let error = await #expect(throws: ImportError.self) {
      try await ImportJournal.open(JournalFolder.identity, file: folder.path)
    }
    #expect(error?.message == "the file \(folder.path) is not a journal of an import")
  }

  /// A journal of 2000 added rows, closed.
  func make() async throws {
    let journal = try await open()
    try await journal.willSend((1...2000).map { JournalRow($0) })
    for row in 1...2000 { journal.settle(JournalRow(row), .addedAs(nil)) }
    await journal.close()
  }

  @Test func aDamagedFileIsNotBelieved() async throws {
    try await make()
    let size = folder.contents(name).count
    // Page by page, from the second one on: each either does no harm or is noticed; none makes up rows or loses some.
    for page in stride(from: 4096, to: size, by: 4096) {
      let copy = folder.snapshot()
      var bytes = copy.contents(name)
      bytes.replaceSubrange(page..<min(page + 4096, size), with: repeatElement(0x55, count: min(4096, size - page)))
      copy.write(name, bytes)
      do {
        let journal = try await ImportJournal.open(JournalFolder.identity, in: copy.path)
        let rows = Result { try journal.allKnownRows() }
        await journal.close()
        if case .success(let rows) = rows {
          #expect(rows.count == 2000)
          #expect(rows.allSatisfy { $0.state == .added })
        } else {
          _ = try rows.get()
        }
      } catch let error as ImportError {
        #expect(error.code == "journal_damaged", "page \(page / 4096 + 1): \(error)")
        #expect(error.message.hasPrefix("the journal \(copy.path)/\(name) is damaged: "))
        #expect(error.hint?.contains("--resume no --dedupe text") == true)
      }
    }
  }

  @Test func rowsThatAreMissingAreNoticed() async throws {
    try await make()
    do {
      let database = try SQLiteConnection(path: path)
      try database.execute("DELETE FROM outcomes WHERE chunk = 2")
    }
    let error = await errorOfOpening()
    #expect(error?.message == "the journal \(path) is damaged: its rows are not those it counts")
  }

  // MARK: Whose

  @Test func theJournalOfAnotherAccountIsRefused() async throws {
    let file = "\(folder.path)/j.db"
    let journal = try await ImportJournal.open(JournalFolder.identity, file: file)
    try await journal.willSend([JournalRow(1)])
    await journal.close()
    var identity = JournalFolder.identity
    identity.account = "account-2"
    var error = await #expect(throws: ImportError.self) { try await ImportJournal.open(identity, file: file) }
    #expect(error?.code == "journal_mismatch")
    #expect(error?.message == "the journal \(file) is that of an import of tasks.csv for the account alice")
    #expect(error?.hint == "give this import a separate file with --journal")
    identity = JournalFolder.identity
    identity.api = "https://other.example.com"
    error = await #expect(throws: ImportError.self) { try await ImportJournal.open(identity, file: file) }
    #expect(
      error?.message
        == "the journal \(file) is that of an import of tasks.csv for the API https://tasks.example.com")
    // The rows say whether a source by another name is the same.
    identity = JournalFolder.identity
    identity.source = "/home/alice/moved.csv"
    let moved = try await ImportJournal.open(identity, file: file)
    #expect(try moved.allKnownRows().count == 1)
    #expect(moved.summary.identity == identity)
    await moved.close()
  }

  @Test func eachIdentityHasAJournalOfItsOwn() async throws {
    var names: Set<String> = [JournalFolder.identity.fileName]
    for change in [\ImportIdentity.source, \.account, \.api] {
      var identity = JournalFolder.identity
      identity[keyPath: change] += "x"
      names.insert(identity.fileName)
    }
    #expect(names.count == 4)
    var renamed = JournalFolder.identity
    renamed.accountName = "Alice"
    #expect(names.contains(renamed.fileName))
  }

  // MARK: Folders

  @Test func theFolderIsMadeAndPrivate() async throws {
    let deep = "\(folder.path)/state/b2c-run/imports"
    let journal = try await ImportJournal.open(JournalFolder.identity, in: deep)
    for (path, mode) in [(deep, 0o700), ("\(folder.path)/state", 0o700), ("\(deep)/\(name)", 0o600)] {
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(Int(status.st_mode & 0o777) == mode)
    }
    await journal.close()
    unlink("\(deep)/\(name)")
    for path in [deep, "\(folder.path)/state/b2c-run", "\(folder.path)/state"] { rmdir(path) }
  }

  @Test func aFolderThatCannotBeMadeIsTold() async throws {
    folder.write("file", [1])
    var error = await #expect(throws: ImportError.self) {
      try await ImportJournal.open(JournalFolder.identity, in: "\(folder.path)/file")
    }
    #expect(error?.code == "journal_unusable")
    #expect(error?.message == "the journals of imports need a folder, and \(folder.path)/file is something else")
    #expect(error?.hint == "move it away, or give a file with --journal")
    error = await #expect(throws: ImportError.self) {
      try await ImportJournal.open(JournalFolder.identity, in: "/proc/none/imports")
    }
    #expect(
      error?.message
        == "the folder /proc/none/imports for journals of imports cannot be made: No such file or directory")
    error = await #expect(throws: ImportError.self) {
      try await ImportJournal.open(JournalFolder.identity, file: "\(folder.path)/none/j.db")
    }
    #expect(
      error?.message
        == "the folder of the journal \(folder.path)/none/j.db cannot be opened: No such file or directory")
  }

  @Test func theStandardFolderFollowsTheEnvironment() throws {
    #expect(
      try ImportJournal.standardFolder { ["XDG_STATE_HOME": "/s", "HOME": "/h"][$0] } == "/s/b2c-run/imports")
    #expect(
      try ImportJournal.standardFolder { ["XDG_STATE_HOME": "s", "HOME": "/h"][$0] }
        == "/h/.local/state/b2c-run/imports")
    let error = #expect(throws: ImportError.self) { try ImportJournal.standardFolder { _ in nil } }
    #expect(
      error?.message
        == "there is no place for the journal of the import: neither XDG_STATE_HOME nor HOME is an absolute path")
  }
}
