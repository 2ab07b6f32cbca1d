import Accounts
import Core
import Glibc
import HostLoop
import JOSE
import JSON
import TestSupport
import Testing

@Suite struct KeyFileVaultTests {
  @Test @HostActor func isReadBackByAnotherProcess() async throws {
    let folder = TemporaryFolder()
    let key = try await KeyFileVault(folder: folder.path).key(for: "default")
    #expect(try await KeyFileVault(folder: folder.path).key(for: "default").json == key.json)
    #expect(folder.names == ["accounts-default.key"])
    #expect(folder.mode("accounts-default.key") == "600")
  }

  /// On threads of their own, as many processes would: all must agree, whoever is first.
  @Test func manyAtOnceAgree() async throws {
    for _ in 0..<20 {
      let folder = TemporaryFolder()
      let file = KeyFile(path: "\(folder.path)/race.key")
      let keys = await withTaskGroup(of: JSON?.self) { group in
        for _ in 0..<8 { group.addTask { try? file.write(JWK.generateSymmetric(bits: 256)).json } }
        return await group.reduce(into: Set<JSON?>()) { $0.insert($1) }
      }
      #expect(keys.count == 1)
      #expect(!keys.contains(nil))
      #expect(folder.names == ["race.key"])
    }
  }

  @Test(arguments: [
    ("", "is damaged"), ("{\"kty\":\"oct\",\"k\":\"c2hvcnQ\"}", "is damaged"), ("not json", "is damaged"),
  ])
  @HostActor func damaged(text: String, message: String) async throws {
    let folder = TemporaryFolder()
    folder.write(text.utf8, to: "accounts-default.key")
    let error = await #expect(throws: AccountError.self) {
      try await KeyFileVault(folder: folder.path).key(for: "default")
    }
    #expect(
      error?.message == """
        the key file \(folder.path)/accounts-default.key is damaged: it does not hold a symmetric key of 256 bits as \
        JSON (RFC 7517)
        """)
    #expect(folder.contents("accounts-default.key") == Array(text.utf8))
  }

  @Test @HostActor func openToOthers() async throws {
    let folder = TemporaryFolder()
    _ = try await KeyFileVault(folder: folder.path).key(for: "default")
    chmod("\(folder.path)/accounts-default.key", 0o640)
    let error = await #expect(throws: AccountError.self) {
      try await KeyFileVault(folder: folder.path).key(for: "default")
    }
    #expect(error?.kind == .keyUnusable)
    #expect(
      error?.message
        == "the key file \(folder.path)/accounts-default.key is open to others (mode 0640); it must have mode 0600")
  }

  @Test @HostActor func lostKeyIsSaid() async throws {
    let folder = TemporaryFolder()
    let manager = StoreTests.manager(try await AccountStore(.folder(folder.path)))
    _ = try await signIn(manager)
    unlink("\(folder.path)/accounts-default.key")
    let store = try await AccountStore(.folder(folder.path))
    let account = try #require(try await store.current())
    let later = StoreTests.manager(store)
    let listener = Listener(later.events)
    for _ in 0..<2 {
      let error = await #expect(throws: AccountError.self) { try await later.token(for: account) }
      #expect(
        error?.description == """
          the tokens of the account Alice in \(folder.path)/accounts.sqlite do not open with the key file \
          \(folder.path)/accounts-default.key: they were sealed with another key (put the key back, or sign in again)
          """)
    }
    #expect(listener.heard == ["failed refresh 1"])
    _ = try await signIn(later)
    #expect(try await later.token(for: account).reveal() == "access-0-of-sign-in")
  }
}
