import Accounts
import Core
import Databases
import Glibc
import HostLoop
import TestSupport
import Testing

/// The error names a file that is not an account store, and the file stays unchanged.
@Suite struct BrokenStoreTests {
  @HostActor func failure(_ folder: TemporaryFolder) async -> AccountError? {
    await #expect(throws: AccountError.self) { try await AccountStore(.folder(folder.path)) }
  }

  @Test(arguments: ["my shopping list", String(repeating: "eggs ", count: 100)]) @HostActor
  func foreignFile(text: String) async throws {
    let folder = TemporaryFolder()
    folder.write(text.utf8, to: "accounts.sqlite")
    let error = try #require(await failure(folder))
    #expect(
      error.description == """
        the file \(folder.path)/accounts.sqlite is not an account store of b2c-run (move it away, or give another \
        folder with --store; it has been left as it is)
        """)
    #expect(folder.contents("accounts.sqlite") == Array(text.utf8))
  }

  @Test @HostActor func foreignDatabase() async throws {
    let folder = TemporaryFolder()
    do {
      let other = try SQLiteConnection(path: "\(folder.path)/accounts.sqlite")
      try other.execute("CREATE TABLE note (text)")
    }
    #expect(await failure(folder)?.kind == .storeDamaged)
    let other = try SQLiteConnection(path: "\(folder.path)/accounts.sqlite")
    #expect(try other.query("SELECT name FROM sqlite_schema").map { $0[0].text } == ["note"])
  }

  @Test @HostActor func newerVersion() async throws {
    let folder = TemporaryFolder()
    do { _ = try await AccountStore(.folder(folder.path)) }
    do { try SQLiteConnection(path: "\(folder.path)/accounts.sqlite").execute("PRAGMA user_version = 6") }
    let error = try #require(await failure(folder))
    #expect(error.kind == .storeTooNew)
    #expect(
      error.description == """
        the account store \(folder.path)/accounts.sqlite has version 6, written by a newer b2c-run; this one knows \
        version 5 (update b2c-run, or give another folder with --store)
        """)
  }

  @Test @HostActor func damagedPages() async throws {
    let folder = TemporaryFolder()
    do { _ = try await AccountStore(.folder(folder.path)) }
    var bytes = folder.contents("accounts.sqlite")
    try #require(bytes.count > 8192)
    for index in 4096..<bytes.count { bytes[index] = 0xa5 }
    folder.write(bytes, to: "accounts.sqlite")
    let error = try #require(await failure(folder))
    #expect(error.kind == .storeDamaged)
    #expect(error.message.hasPrefix("the account store \(folder.path)/accounts.sqlite is damaged: "))
    #expect(folder.contents("accounts.sqlite") == bytes)
  }

  @Test @HostActor func openToOthers() async throws {
    let folder = TemporaryFolder()
    do { _ = try await AccountStore(.folder(folder.path)) }
    chmod("\(folder.path)/accounts.sqlite", 0o644)
    #expect(
      await failure(folder)?.description == """
        the account store \(folder.path)/accounts.sqlite is open to others (mode 0644); it must have mode 0600 \
        (run: chmod 600 '\(folder.path)/accounts.sqlite', and sign in again if others may have read it)
        """)
  }

  @Test @HostActor func aFileInPlaceOfTheFolder() async throws {
    let folder = TemporaryFolder()
    folder.write([], to: "file")
    let error = await #expect(throws: AccountError.self) { try await AccountStore(.folder("\(folder.path)/file")) }
    #expect(error?.message == "the account store needs a folder, and \(folder.path)/file is something else")
  }
}
