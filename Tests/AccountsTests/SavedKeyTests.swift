import Accounts
import HostLoop
import JOSE
import JSON
import SQL
import SQLite
import TestSupport
import Testing

/// The keys of scripts in an account store.
@HostActor @Suite struct SavedKeyTests {
  private let folder = TemporaryFolder()

  private func store(group: String = "default") throws -> AccountStore {
    try AccountStore(.folder(folder.path), group: group)
  }

  @Test func comesBackSealedAndForItsGroupOnly() async throws {
    let key = try PrivateKey.generate(.ec(curve: "P-256"), keyID: "k-1", algorithm: "ES256")
    try await store().save(key, name: "client", provider: ["clientID": "c-1"])
    let saved = try #require(try await store().savedKey("client"))
    #expect(saved.key.reveal() == key.reveal())
    #expect(saved.provider == ["clientID": "c-1"])
    #expect(try store().savedKeyNames() == ["client"])
    #expect(try await store(group: "other").savedKey("client") == nil)
    #expect(try store(group: "other").savedKeyNames() == [])
    let secret = try #require(key.reveal()["d"]?.string)
    #expect(!folder.names.contains { String(decoding: folder.contents($0), as: UTF8.self).contains(secret) })
  }

  @Test func anotherOneTakesItsPlaceAndItGoes() async throws {
    let store = try store()
    for keyID in ["k-1", "k-2"] {
      try await store.save(PrivateKey.generate(.ed25519, keyID: keyID), name: "client", provider: [:])
    }
    #expect(try await store.savedKey("client")?.key.keyID == "k-2")
    #expect(try store.removeKey("client"))
    #expect(try !store.removeKey("client"))
    #expect(try await store.savedKey("client") == nil)
  }

  @Test func theRowOfAnotherNameIsRefused() async throws {
    let store = try store()
    try await store.save(PrivateKey.generate(.ed25519), name: "client", provider: [:])
    try Connection(path: store.path).execute("UPDATE saved_key SET name = 'other'")
    let error = await #expect(throws: AccountError.self) { try await store.savedKey("other") }
    #expect(error?.kind == .tokensUnreadable)
    #expect(error?.message.hasPrefix("the key 'other' in \(store.path) does not open with the key file ") == true)
    #expect(error?.hint == "put the key of the store back, or save the key again")
  }
}
