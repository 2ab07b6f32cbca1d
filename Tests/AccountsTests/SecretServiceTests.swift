import Accounts
import Core
import Databases
import Glibc
import HostLoop
import JOSE
import JSON
import TestSupport
import Testing

/// Everything that uses the one message bus of the tests' desktop.
@Suite(.serialized) struct SecretServiceTests {
  let folder = TemporaryFolder()

  @HostActor func store(_ choice: VaultChoice = .automatic, isUserFolder: Bool = true) async throws -> AccountStore {
    try await AccountStore(
      isUserFolder ? .userFolder(folder.path) : .folder(folder.path), vault: choice,
      variable: { $0 == "DBUS_SESSION_BUS_ADDRESS" ? Desktop.address : nil })
  }

  @HostActor func withKeyring(_ body: @HostActor (Desktop, pid_t) async throws -> Void) async throws {
    let desktop = try Desktop()
    let keyring = try desktop.startKeyring()
    defer { Desktop.stop(keyring) }
    try await body(desktop, keyring)
  }

  @Test @HostActor func aNewKeyGoesToTheServiceThatIsThere() async throws {
    try await withKeyring { _, _ in
      let store = try await store()
      let account = try await signIn(StoreTests.manager(store))
      #expect(try await store.vaultKind == .secretService)
      #expect(
        try await store.vaultPlace == """
          the Secret Service ("b2c-run: key of the accounts default in \(folder.path)/accounts.sqlite")
          """)
      #expect(await store.checkVault() == nil)
      #expect(!folder.names.contains("accounts-default.key"))
      // Another process, and one for which the store has moved, find it again.
      let again = StoreTests.manager(try await self.store())
      let restored = try #require(try await again.store.find(id: account.id))
      #expect(try await again.token(for: restored).reveal() == "access-0-of-sign-in")
      #expect(
        Desktop.succeeds("sh -c 'secret-tool search xdg:schema org.b2c-run.Key | grep -q \"label = b2c-run: key\"'"))
    }
  }

  @Test @HostActor func aFolderToCarryAboutHasItsKeyInIt() async throws {
    try await withKeyring { _, _ in
      let store = try await store(isUserFolder: false)
      _ = try await signIn(StoreTests.manager(store))
      #expect(try await store.vaultKind == .keyFile)
    }
  }

  @Test @HostActor func aKeyFileThatIsThereStaysInUse() async throws {
    _ = try await signIn(StoreTests.manager(try await AccountStore(.folder(folder.path))))
    try await withKeyring { _, _ in
      let same = try await store()
      #expect(try await same.vaultKind == .keyFile)
      let other = try await store(.secretService)
      #expect(try await other.vaultKind == .keyFile)
      let error = await other.checkVault()
      #expect(
        error?.description == """
          the key of the accounts default is in the key file \(folder.path)/accounts-default.key, not in the vault \
          secret_service (take vault out of the settings, or move the key: b2c-run accounts --vault secret_service)
          """)
    }
  }

  @Test @HostActor func manyAtOnceMakeOneKey() async throws {
    try await withKeyring { _, _ in
      let stores = try await times(6) { try await store(.secretService) }
      let tasks = stores.enumerated().map { number, store in
        HostActor.task {
          _ = try await signIn(StoreTests.manager(store), ["iss": "i", "sub": .string("user \(number)")])
        }
      }
      for task in tasks { try await task.value }
      let manager = StoreTests.manager(try await store())
      let accounts = try await manager.store.all()
      #expect(accounts.count == 6)
      for account in accounts { #expect(try await manager.token(for: account).reveal() == "access-0-of-sign-in") }
    }
  }

  @Test @HostActor func keysMoveAndTheAccountsStay() async throws {
    try await withKeyring { _, _ in
      let manager = StoreTests.manager(try await store(.keyFile))
      let account = try await signIn(manager)
      let other = StoreTests.manager(try await store())
      for kind in [VaultKind.secretService, .keyFile, .secretService] {
        try await manager.store.moveKeys(to: kind)
        // The next call completes a move that a crash interrupted after the copy.
        try await manager.store.moveKeys(to: kind)
        #expect(try await other.store.vaultKind == kind)
        #expect(folder.names.contains("accounts-default.key") == (kind == .keyFile))
        let fresh = StoreTests.manager(try await store())
        for manager in [other, fresh] {
          let theirs = try #require(try await manager.store.find(id: account.id))
          #expect(try await manager.token(for: theirs).reveal() == "access-0-of-sign-in")
        }
      }
    }
  }

  @Test @HostActor func aMoveThatWasCutOffLosesNothing() async throws {
    try await withKeyring { _, _ in
      let manager = StoreTests.manager(try await store(.keyFile))
      let account = try await signIn(manager)
      let key = folder.contents("accounts-default.key")
      // Cut off before the store was told: both have the key, and the old place counts.
      let id = try #require(
        try SQLiteConnection(path: "\(folder.path)/accounts.sqlite").first("SELECT id FROM store")?["id"].text)
      let there = SecretServiceVault(store: id, path: "\(folder.path)/accounts.sqlite")
      try await there.keep(KeyFileVault(folder: folder.path).key(for: "default"), for: "default")
      let early = StoreTests.manager(try await store())
      #expect(try await early.store.vaultKind == .keyFile)
      let first = try #require(try await early.store.find(id: account.id))
      #expect(try await early.token(for: first).reveal() == "access-0-of-sign-in")
      try await early.store.moveKeys(to: .secretService)
      #expect(!folder.names.contains("accounts-default.key"))
      // Cut off after: the old file is still there, and a copy of it changes nothing.
      folder.write(key, to: "accounts-default.key")
      let fresh = StoreTests.manager(try await store())
      #expect(try await fresh.store.vaultKind == .secretService)
      let theirs = try #require(try await fresh.store.find(id: account.id))
      #expect(try await fresh.token(for: theirs).reveal() == "access-0-of-sign-in")
      try await fresh.store.moveKeys(to: .secretService)
      #expect(!folder.names.contains("accounts-default.key"))
    }
  }

  @Test @HostActor func withoutADesktop() async throws {
    let bare = { @HostActor (choice: VaultChoice) in
      try await AccountStore(.userFolder(folder.path), vault: choice, variable: { _ in nil })
    }
    let automatic = try await bare(.automatic)
    #expect(try await automatic.vaultKind == .keyFile)
    let store = try await bare(.secretService)
    #expect(try await store.vaultKind == .secretService)
    let error = await store.checkVault()
    #expect(
      error?.description == """
        the key of the accounts belongs in the Secret Service, and there is no desktop session: \
        DBUS_SESSION_BUS_ADDRESS is not set (run this in the desktop's session, or give another folder with --store, \
        where the key is a file)
        """)
  }

  @Test @HostActor func withoutAService() async throws {
    let desktop = try Desktop()
    let automatic = try await store()
    #expect(try await automatic.vaultKind == .keyFile)
    let explicit = try await store(.secretService)
    let error = await #expect(throws: AccountError.self) {
      _ = try await signIn(StoreTests.manager(explicit))
    }
    #expect(error?.kind == .vaultUnusable)
    #expect(
      error?.message.hasPrefix(
        "the Secret Service, where the key of the accounts belongs, cannot be used: The name org.freedesktop.secrets was"
      ) == true)
    withExtendedLifetime(desktop) {}
  }

  @Test @HostActor func locked() async throws {
    try await withKeyring { _, _ in
      let manager = StoreTests.manager(try await store(.secretService))
      _ = try await signIn(manager)
      #expect(Desktop.lock())
      let error = try await store(.secretService).checkVault()
      #expect(
        error?.description == """
          the Secret Service, where the key of the accounts belongs, is locked (unlock the desktop's keyring, or set \
          vault to key_file)
          """)
      // For a new key it is not waited for.
      let fresh = TemporaryFolder()
      let other = try await AccountStore(.userFolder(fresh.path), variable: { _ in Desktop.address })
      #expect(try await other.vaultKind == .keyFile)
    }
  }

  @Test @HostActor func silent() async throws {
    try await withKeyring { _, keyring in
      // The daemon is the child of `timeout`.
      #expect(Desktop.succeeds("pkill -STOP -P \(keyring)"))
      defer { _ = Desktop.succeeds("pkill -CONT -P \(keyring)") }
      let vault = SecretServiceVault(store: "s", path: "p", limit: 0.2)
      let error = await #expect(throws: AccountError.self) { try await vault.key(for: "default") }
      #expect(
        error?.description == """
          the Secret Service, where the key of the accounts belongs, did not answer within 1 s (unlock or restart the \
          desktop's keyring)
          """)
    }
  }

  // MARK: The contract of every vault

  @HostActor func vaults() -> [any Vault] {
    [MemoryVault(), KeyFileVault(folder: folder.path), SecretServiceVault(store: "store 1", path: "a path")]
  }

  @Test(arguments: 0..<3) @HostActor func contract(number: Int) async throws {
    try await withKeyring { _, _ in
      let vault = vaults()[number]
      #expect(try await vault.storedKey(for: "default") == nil)
      let key = try await vault.key(for: "default")
      #expect(try await vault.key(for: "default").json == key.json)
      #expect(try await vault.storedKey(for: "default")?.json == key.json)
      #expect(try await vault.key(for: "other").json != key.json)
      #expect(try await vault.key(for: "").json != vault.key(for: "ümläut / group").json)
      #expect(!vault.place(of: "default").isEmpty)
      let sealed = try JWE.seal(Array("hello".utf8), key: key)
      #expect(try await JWE.open(sealed, key: vault.key(for: "default")) == Array("hello".utf8))
      // A key is never written over.
      let another = try JWK.generateSymmetric(bits: 256)
      try await vault.keep(key, for: "default")
      let error = await #expect(throws: AccountError.self) { try await vault.keep(another, for: "default") }
      #expect(error?.message == "there is another key already in \(vault.place(of: "default"))")
      try await vault.removeKey(for: "default")
      try await vault.removeKey(for: "default")
      #expect(try await vault.storedKey(for: "default") == nil)
      try await vault.keep(another, for: "default")
      #expect(try await vault.key(for: "default").json == another.json)
      if vault.kind != .memory {
        #expect(try await vaults()[number].key(for: "default").json == another.json)
      }
    }
  }
}
