import Accounts
import Core
import Glibc
import HTTPClient
import HTTPServer
import HostLoop
import JOSE
import JSON
import OAuth
import Settings
import Synchronization
import Testing

/// The ID token that comes with a refresh (OpenID Connect Core, 12.2).
@Suite struct RefreshedIDTokenTests {
  private static let key = try? JWK.generateRSA(keyID: "key-1")
  private static let otherKey = try? JWK.generateRSA(keyID: "key-1")

  /// A provider whose token endpoint gives the same ID token each time.
  private final class Provider: Sendable {
    private let server = Mutex<HTTPServer?>(nil)
    private let idToken = Mutex("")
    let isWithoutKeys: Bool

    init(isWithoutKeys: Bool = false) throws {
      self.isWithoutKeys = isWithoutKeys
      let server = try HTTPServer { [weak self] in self?.answer($0) ?? ServerResponse(status: 500) }
      self.server.withLock { $0 = server }
    }

    deinit { server.withLock { $0?.stop() } }

    var issuer: String { server.withLock { "http://127.0.0.1:\($0?.port ?? 0)" } }

    func give(_ claims: [String: JSON], key: JWK?) throws {
      let present = claims.filter { $0.value != .null }
      let token = try JWS.sign(
        Array(JSON.object(present).encoded().utf8), header: ["alg": "RS256", "kid": "key-1"], key: try #require(key))
      idToken.withLock { $0 = token }
    }

    private func answer(_ request: ServerRequest) -> ServerResponse {
      let json: JSON =
        switch request.path {
        case "/.well-known/openid-configuration":
          [
            "issuer": .string(issuer), "token_endpoint": .string("\(issuer)/token"),
            "jwks_uri": .string("\(issuer)/keys"),
          ]
        case "/keys" where !isWithoutKeys: ["keys": .array([(try? RefreshedIDTokenTests.key?.publicKey.json) ?? .null])]
        case "/token":
          [
            "access_token": "new access token", "refresh_token": "new refresh token", "token_type": "Bearer",
            "expires_in": 3600, "id_token": .string(idToken.withLock { $0 }),
          ]
        default: .null
        }
      return json == .null
        ? ServerResponse(status: 503) : ServerResponse(text: json.encoded(), type: "application/json")
    }

    @HostActor func manager() async throws -> AccountManager {
      let settings = try Settings(
        values: ["clientID": "client-1", "authority": .string(issuer), "bhh": "http://127.0.0.1:9/callback"],
        source: "the test's settings")
      let refresher = OAuthTokenRefresher(OAuth.Provider(settings: settings, http: HTTPClient()))
      return AccountManager(store: try await AccountStore(.memory), pauses: noPauses) { _ in refresher }
    }
  }

  private static let now = Int64(time(nil))

  private func original(_ provider: Provider) -> [String: JSON] {
    [
      "iss": .string(provider.issuer), "sub": "a1", "name": "Alice", "aud": "client-1", "azp": "client-1",
      "iat": .integer(Self.now - 60), "exp": .integer(Self.now + 3600), "auth_time": .integer(Self.now - 90),
      "nonce": "n-1",
    ]
  }

  @Test(
    arguments: [
      ([:], nil), (["nonce": .null, "azp": .null, "auth_time": .null], nil), (["aud": ["api", "client-1"]], nil),
      (["iat": .integer(now)], nil), (["iss": "https://evil.example"], "issuer_mismatch"),
      (["sub": "b2"], "subject_mismatch"), (["aud": "another"], "audience_mismatch"), (["aud": .null], "missing_claim"),
      (["azp": "another"], "audience_mismatch"), (["nonce": "n-2"], "nonce_mismatch"),
      (["auth_time": .integer(now - 30)], "authentication_time_mismatch"), (["iat": .null], "missing_claim"),
      (["iat": .integer(now - 86_400)], "token_too_old"), (["iat": .integer(now + 86_400)], "token_not_yet_valid"),
      (["exp": .integer(now - 3600)], "token_expired"), (["sub": .null], "missing_claim"),
    ] as [([String: JSON], String?)])
  @HostActor func goesOnWithTheSignIn(_ changes: [String: JSON], _ code: String?) async throws {
    // The same claims count where the signature cannot be checked.
    for provider in [try Provider(), try Provider(isWithoutKeys: true)] {
      let manager = try await provider.manager()
      let account = try await signIn(manager, .object(original(provider)), policy: nil)
      try provider.give(original(provider).merging(changes) { $1 }, key: Self.key)
      guard let code else {
        #expect(try await manager.refresh(account).reveal() == "new access token")
        let isKept = try await manager.idToken(of: account)?.reveal() != "id-token-of-sign-in"
        #expect(isKept == !provider.isWithoutKeys, "an ID token that nobody vouches for is not kept")
        continue
      }
      let error = await #expect(throws: OAuthError.self) { try await manager.refresh(account) }
      #expect(error?.code == code)
      #expect(error?.stage == .refresh)
      #expect(try await manager.token(for: account).reveal() == "access-0-of-sign-in")
    }
  }

  @Test @HostActor func aForgedOneIsRefused() async throws {
    let provider = try Provider()
    let manager = try await provider.manager()
    let account = try await signIn(manager, .object(original(provider)), policy: nil)
    try provider.give(original(provider), key: Self.otherKey)
    let error = await #expect(throws: OAuthError.self) { try await manager.refresh(account) }
    #expect(error?.code == "signature_mismatch")
    #expect(try await manager.idToken(of: account)?.reveal() == "id-token-of-sign-in")
  }
}
