import Accounts
import Databases
import HostLoop
import JOSE
import JSON
import TestSupport
import Testing

/// The keys of scripts in an account store.
@HostActor @Suite struct SavedKeyTests {
  @Test(arguments: Engine.allCases) func comesBackSealedAndForItsGroupOnly(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let key = try PrivateKey.generate(.ec(curve: "P-256"), keyID: "k-1", algorithm: "ES256")
    try await place.open().save(key, name: "client", provider: ["clientID": "c-1"])
    let saved = try #require(try await place.open().savedKey("client"))
    #expect(saved.key.reveal() == key.reveal())
    #expect(saved.provider == ["clientID": "c-1"])
    #expect(try await place.open().savedKeyNames() == ["client"])
    #expect(try await place.open(group: "other").savedKey("client") == nil)
    #expect(try await place.open(group: "other").savedKeyNames() == [])
    let secret = try #require(key.reveal()["d"]?.string)
    #expect(try place.sql("SELECT sealed FROM saved_key").allSatisfy { !$0.contains(secret) })
  }

  @Test(arguments: Engine.allCases) func anotherOneTakesItsPlaceAndItGoes(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let store = try await place.open()
    for keyID in ["k-1", "k-2"] {
      try await store.save(PrivateKey.generate(.ed25519, keyID: keyID), name: "client", provider: [:])
    }
    #expect(try await store.savedKey("client")?.key.keyID == "k-2")
    #expect(try await store.removeKey("client"))
    #expect(try await !store.removeKey("client"))
    #expect(try await store.savedKey("client") == nil)
  }

  @Test(arguments: Engine.allCases) func theRowOfAnotherNameIsRefused(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let store = try await place.open()
    try await store.save(PrivateKey.generate(.ed25519), name: "client", provider: [:])
    try place.sql("UPDATE saved_key SET name = 'other'")
    let error = await #expect(throws: AccountError.self) { try await store.savedKey("other") }
    #expect(error?.kind == .tokensUnreadable)
    #expect(error?.message.hasPrefix("the key 'other' in \(store.path) does not open with the key file ") == true)
    #expect(error?.hint == "put the key of the store back, or save the key again")
  }
}
