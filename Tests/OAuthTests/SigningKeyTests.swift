import HTTPClient
import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// Tests of the choice of the provider's key that validates a token.
@Suite struct SigningKeyTests {
  @Test @HostActor func newKeysAreFetchedOnceInAWhile() async throws {
    let provider = try Provider()
    let time = SharedTime()
    let client = OAuth.Provider(settings: try provider.settings(), http: HTTPClient(), now: { time.now })
    _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(), nonce: "n-1")
    #expect(provider.count("/keys") == 1)
    // The provider changes its keys: the new one is found by asking again.
    let newKey = try #require(Provider.otherKey)
    provider.change { $0.keys = [newKey] }
    _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(key: newKey), nonce: "n-1")
    #expect(provider.count("/keys") == 2)
    // An unknown key is not requested again and again.
    for _ in 0..<3 {
      let error = await oauthError {
        _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(header: ["kid": "key-9"]))
      }
      #expect(
        error?.message == "the ID token is signed by a key that \(provider.issuer) does not publish (kid): expected "
          + "\"key-2\", got \"key-9\"")
    }
    #expect(provider.count("/keys") == 2)
    time.advance(6)
    _ = await oauthError {
      _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(header: ["kid": "key-9"]))
    }
    #expect(provider.count("/keys") == 3)
    // A clock that is set back does not end the search.
    time.advance(-3600)
    _ = await oauthError {
      _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(header: ["kid": "key-9"]))
    }
    #expect(provider.count("/keys") == 4)
  }

  @Test @HostActor func manyTokensOfUnknownKeysAskOnce() async throws {
    let provider = try Provider()
    let client = try provider.client()
    _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(), nonce: "n-1")
    let tokens = try (0..<20).map { try provider.idToken(header: ["kid": .string("random-\($0)")]) }
    await withTaskGroup(of: String?.self) { group in
      for token in tokens {
        group.addTask { await oauthError { _ = try await IDTokenValidator(client).validate(idToken: token) }?.code }
      }
      for await code in group { #expect(code == "key_not_found") }
    }
    #expect(provider.count("/keys") == 2)
  }

  /// Whoever comes while the new keys are on their way waits for them.
  @Test @HostActor func manyTokensOfANewKeyAskOnceAndAreAllBelieved() async throws {
    let provider = try Provider()
    let client = try provider.client()
    _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(), nonce: "n-1")
    let newKey = try #require(Provider.otherKey)
    provider.change { $0.keys = [newKey] }
    let token = try provider.idToken(key: newKey)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 {
        group.addTask { try await IDTokenValidator(client).validate(idToken: token, nonce: "n-1")["sub"]?.string ?? "" }
      }
      for try await subject in group { #expect(subject == "alice") }
    }
    #expect(provider.count("/keys") == 2)
  }

  @Test @HostActor func withoutAKeyIDTheOnlyKeyIsTaken() async throws {
    let provider = try Provider()
    _ = try await IDTokenValidator(provider.client()).validate(
      idToken: provider.idToken(header: ["kid": nil]), nonce: "n-1")
    let second = try #require(Provider.otherKey)
    provider.change { $0.keys.append(second) }
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: provider.idToken(header: ["kid": nil]))
    }
    #expect(error?.code == "key_not_found")
  }

  @Test @HostActor func keysOfOtherTypesAndUsesMayShareTheID() async throws {
    let provider = try Provider()
    let rsa = try #require(Provider.key)
    let ec = try JWK.generateEC(keyID: "key-1")
    var members = try #require(Provider.otherKey?.json.object)
    (members["kid"], members["use"]) = ("key-1", "enc")
    let encryption = try JWK(.object(members))
    provider.change { $0.keys = [ec, encryption, rsa] }
    for header in [[:], ["kid": nil]] as [[String: JSON]] {
      _ = try await IDTokenValidator(provider.client()).validate(
        idToken: provider.idToken(header: header), nonce: "n-1")
    }
  }
}
