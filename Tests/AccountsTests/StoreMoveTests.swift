import Accounts
import Databases
import Glibc
import HostLoop
import TestSupport
import Testing

/// The user's store, in the folder where earlier versions kept it and in the one where it is now.
@Suite("A store in the folder of earlier versions") @HostActor
struct StoreMoveTests {
  let home = TemporaryFolder()
  var old: String { "\(home.path)/share" }
  var new: String { "\(home.path)/state" }

  /// A store with one account, as an earlier version left it. It stays open as long as the manager is kept.
  private func makeOld() async throws -> AccountManager {
    let manager = StoreTests.manager(try await AccountStore(.folder(old)))
    _ = try await signIn(manager)
    return manager
  }

  private func openNew() async throws -> AccountStore {
    try await AccountStore(.userFolder(new, earlier: old), vault: .keyFile)
  }

  private func names(_ folder: String) -> [String] { names(folder) { $0.hasPrefix("accounts") } }

  private func names(_ folder: String, _ isWanted: (String) -> Bool) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory) {
      found.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return found.filter(isWanted).sorted()
  }

  @Test("is moved with its keys, once, and tokens open as before")
  func moved() async throws {
    _ = try await makeOld()
    let store = try await openNew()
    #expect(store.note == .moved(from: old, to: new))
    #expect(store.path == "\(new)/accounts.sqlite")
    let account = try #require(try await store.current())
    #expect(account.name == "Alice")
    _ = try await StoreTests.manager(store).token(for: account)
    #expect(names(old) == ["accounts.lock"])
    #expect(names(new).contains("accounts-default.key"))
    #expect(try await openNew().note == nil)
  }

  @Test("stays where it is while another process uses it, and is used there")
  func inUse() async throws {
    let running = try await makeOld()
    do {
      let store = try await openNew()
      #expect(store.note == .staysPut(old, instead: new, reason: "another process is using it"))
      #expect(try await store.current()?.name == "Alice")
      #expect(names(new) == [])
      // Each store sees the accounts that the other store adds.
      _ = try await signIn(StoreTests.manager(store), bob)
      #expect(try await running.store.all().count == 2)
    }
    withExtendedLifetime(running) {}
  }

  @Test("after a crash at any point the next process finds all and completes the move", arguments: 0...3)
  func crash(steps: Int) async throws {
    _ = try await makeOld()
    // This is the state after a process that ends after this number of steps.
    let database = try SQLiteConnection(path: "\(old)/accounts.sqlite", mustExist: true)
    try database.executeScript("PRAGMA journal_mode = DELETE")
    mkdir(new, 0o700)
    if steps > 0 { link("\(old)/accounts-default.key", "\(new)/accounts-default.key") }
    if steps > 1 { link("\(old)/accounts.sqlite", "\(new)/accounts.sqlite") }
    if steps > 2 { unlink("\(old)/accounts.sqlite") }
    withExtendedLifetime(database) {}
    try await check()
  }

  private func check() async throws {
    let store = try await openNew()
    let account = try #require(try await store.current())
    _ = try await StoreTests.manager(store).token(for: account)
    #expect(store.path == "\(new)/accounts.sqlite")
    #expect(names(old) == ["accounts.lock"])
  }

  @Test("beside a store in the new folder stays as it is, and is told of")
  func both() async throws {
    _ = try await signIn(StoreTests.manager(try await AccountStore(.folder(new))), bob)
    _ = try await makeOld()
    let before = home.names
    let store = try await openNew()
    #expect(store.note == .another(old, used: new))
    #expect(try await store.all().map(\.name) == ["bob@contoso.example"])
    #expect(try await AccountStore(.folder(old)).all().map(\.name) == ["Alice"])
    #expect(home.names == before)
  }

  @Test("that is a link is used where it is")
  func linked() async throws {
    _ = try await makeOld()
    #expect(rename(old, "\(home.path)/real") == 0)
    mkdir(old, 0o700)
    for name in ["accounts.sqlite", "accounts-default.key"] { symlink("../real/\(name)", "\(old)/\(name)") }
    let store = try await openNew()
    #expect(store.path == "\(old)/accounts.sqlite")
    #expect(try await store.current()?.name == "Alice")
    #expect(names("\(home.path)/real").contains("accounts.sqlite"))
  }

  @Test("in the very folder, by another name, is no second store")
  func oneFolder() async throws {
    _ = try await makeOld()
    symlink(old, new)
    let store = try await openNew()
    #expect(store.note == nil)
    #expect(try await store.current()?.name == "Alice")
  }

  @Test("a key that is in the new folder already is not written over")
  func otherKey() async throws {
    _ = try await makeOld()
    mkdir(new, 0o700)
    close(open("\(new)/accounts-default.key", O_CREAT | O_WRONLY, 0o600))
    let store = try await openNew()
    #expect(store.path == "\(old)/accounts.sqlite")
    let account = try #require(try await store.current())
    _ = try await StoreTests.manager(store).token(for: account)
  }

  @Test("what is no store is told, and left as it is")
  func foreign() async throws {
    mkdir(old, 0o700)
    let file = try #require(fopen("\(old)/accounts.sqlite", "w"))
    fputs("not a database", file)
    fclose(file)
    let error = await #expect(throws: AccountError.self) { try await openNew() }
    #expect(error?.kind == .storeDamaged)
    #expect(names(new) == [])
  }
}
