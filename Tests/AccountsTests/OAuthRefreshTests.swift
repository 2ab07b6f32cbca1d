import Accounts
import Core
import Crypto
import Glibc
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import OAuth
import Settings
import Synchronization
import Testing

/// Refreshing at a token endpoint on a socket.
@Suite struct OAuthRefreshTests {
  /// A token endpoint that answers as told, and rotates refresh tokens.
  final class Provider: Sendable {
    private struct State {
      var answers: [ServerResponse] = []
      var forms: [[String: String]] = []
    }

    private final class Shared: Sendable {
      let state = Mutex(State())
    }

    private let server: HTTPServer
    private let shared: Shared

    init(_ answers: [ServerResponse] = []) throws {
      let shared = Shared()
      shared.state.withLock { $0.answers = answers }
      self.shared = shared
      server = try HTTPServer { request in
        shared.state.withLock { state in
          state.forms.append(Dictionary(request.form) { first, _ in first })
          if !state.answers.isEmpty { return state.answers.removeFirst() }
          let number = state.forms.count
          return Self.json(
            [
              "access_token": .string("access token \(number)"), "refresh_token": .string("refresh token \(number)"),
              "token_type": "Bearer", "expires_in": "3600",
            ])
        }
      }
    }

    static func json(_ json: JSON, status: Int = 200) -> ServerResponse {
      ServerResponse(status: status, text: json.encoded(), type: "application/json")
    }

    var forms: [[String: String]] { shared.state.withLock { $0.forms } }

    @HostActor func manager() async throws -> AccountManager {
      let base = "http://127.0.0.1:\(server.port)"
      let settings = try Settings(
        values: [
          "clientID": "client-1", "tokenURL": .string("\(base)/oauth2/token"),
          "authURL": .string("\(base)/oauth2/authorize"), "bhh": "http://127.0.0.1:9/callback",
        ], source: "the test's settings")
      let refresher = OAuthTokenRefresher(OAuth.Provider(settings: settings, http: HTTPClient()))
      return AccountManager(store: try await AccountStore(.memory), pauses: noPauses) { _ in refresher }
    }

    deinit { server.stop() }
  }

  @Test @HostActor func asksForTheSameScopesAndKeepsTheRotatedToken() async throws {
    let provider = try Provider()
    let manager = try await provider.manager()
    let account = try await signIn(manager)
    let tasks = (0..<50).map { _ in HostActor.task { try await manager.refresh(account).reveal() } }
    for task in tasks { #expect(try await task.value == "access token 1") }
    #expect(try await manager.refresh(account).reveal() == "access token 2")
    #expect(provider.forms.map { $0["refresh_token"] } == ["refresh-0-of-sign-in", "refresh token 1"])
    #expect(provider.forms.allSatisfy { $0["grant_type"] == "refresh_token" && $0["client_id"] == "client-1" })
    #expect(provider.forms.allSatisfy { $0["scope"] == "openid offline_access" })
    #expect(account.expiresAt != nil)
  }

  @Test @HostActor func aProviderWithoutPoliciesIsNotAskedForScopesItMayNotHaveGranted() async throws {
    let provider = try Provider()
    let manager = try await provider.manager()
    let account = try await signIn(manager, policy: nil)
    try await manager.refresh(account)
    #expect(provider.forms.count == 1)
    #expect(provider.forms[0]["scope"] == nil)
    #expect(account.scopes == ["openid", "offline_access"])
  }

  @Test(
    arguments: [
      ["expires_in": .integer(.max)], ["expires_in": .integer(.min)], ["expires_in": "-5"],
      ["expires_on": .integer(.min)], ["expires_on": .integer(.max)], ["expires_on": .number(-9.3e18)],
    ] as [[String: JSON]])
  @HostActor func noLifetimeIsTooLong(lifetime: [String: JSON]) async throws {
    let answer = lifetime.merging(["access_token": "a", "token_type": "Bearer"]) { $1 }
    let provider = try Provider([Provider.json(.object(answer))])
    let manager = try await provider.manager()
    let account = try await signIn(manager)
    #expect(try await manager.refresh(account).reveal() == "a")
    // Asks whether it is due.
    _ = try await manager.token(for: account)
  }

  @Test @HostActor func anExpiredGrantEndsTheAccount() async throws {
    let provider = try Provider([
      Provider.json(
        [
          "error": "invalid_grant",
          "error_description": "AADB2C90080: The provided grant has expired.\r\nCorrelation ID: 1",
        ],
        status: 400)
    ])
    let manager = try await provider.manager()
    let listener = Listener(manager.events)
    let account = try await signIn(manager)
    let error = await #expect(throws: OAuthError.self) { try await manager.refresh(account) }
    #expect(error?.code == "AADB2C90080")
    #expect(listener.heard == ["added sign_in Alice", "failed refresh 1", "removed revoked Alice"])
    #expect(SignInFailure.Stage(of: try #require(error)) == .refresh)
  }

  @Test(arguments: [
    ServerResponse(status: 503), ServerResponse(status: 429, headers: [("Retry-After", "0")]),
    ServerResponse(status: 200, headers: [], body: [], drop: .beforeResponse),
  ])
  @HostActor func whatPassesIsWaitedFor(answer: ServerResponse) async throws {
    let provider = try Provider([answer])
    let manager = try await provider.manager()
    let listener = Listener(manager.events)
    let account = try await signIn(manager)
    #expect(try await manager.refresh(account).reveal() == "access token 2")
    #expect(listener.heard == ["added sign_in Alice", "updated refresh Alice"])
    #expect(provider.forms.map { $0["refresh_token"] } == ["refresh-0-of-sign-in", "refresh-0-of-sign-in"])
  }

  @Test(arguments: [
    ServerResponse(text: "<html>", type: "text/html"), Provider.json(["error": "invalid_client"], status: 401),
    ServerResponse(status: 429, headers: [("Retry-After", "60")]),
  ])
  @HostActor func everythingElseKeepsTheAccount(answer: ServerResponse) async throws {
    let provider = try Provider([answer])
    let manager = try await provider.manager()
    let listener = Listener(manager.events)
    let account = try await signIn(manager)
    await #expect(throws: OAuthError.self) { try await manager.refresh(account) }
    #expect(listener.heard == ["added sign_in Alice", "failed refresh 1"])
    #expect(try await manager.refresh(account).reveal() == "access token 2")
    #expect(provider.forms.map { $0["refresh_token"] } == ["refresh-0-of-sign-in", "refresh-0-of-sign-in"])
  }

  @Test @HostActor func tokensOfAnotherUserAreNotUsed() async throws {
    func answer(_ subject: String, _ token: JSON) -> ServerResponse {
      let now = Int64(time(nil))
      let members: [String: JSON] = [
        "iss": "https://issuer.example/", "sub": .string(subject), "aud": "client-1", "iat": .integer(now),
        "exp": .integer(now + 3600),
      ]
      let claims = Base64URL.encode(Array(JSON.object(members).encoded().utf8))
      return Provider.json(
        [
          "access_token": token, "token_type": "Bearer", "refresh_token": "r",
          "id_token": .string("eyJhbGciOiJSUzI1NiJ9.\(claims).c2ln"),
        ])
    }
    let provider = try Provider([answer("b2", "bob's token"), answer("a1", "alice's token")])
    let manager = try await provider.manager()
    let account = try await signIn(manager)
    let error = await #expect(throws: OAuthError.self) { try await manager.refresh(account) }
    #expect(error?.code == "subject_mismatch")
    #expect(
      error?.message
        == "the provider answered the refresh for Alice with the tokens of another user (sub): expected \"a1\", got \"b2\""
    )
    #expect(try await manager.token(for: account).reveal() == "access-0-of-sign-in")
    #expect(try await manager.refresh(account).reveal() == "alice's token")
  }

  @Test @HostActor func anApplicationAsksAgain() async throws {
    let provider = try Provider()
    let manager = try await provider.manager()
    let account = try await signIn(
      manager, ["iss": "https://issuer.example/", "sub": "client-1", "name": "client-1"], refresh: nil,
      grantType: "client_credentials")
    #expect(try await manager.refresh(account).reveal() == "access token 1")
    let form = try #require(provider.forms.first)
    #expect(form["grant_type"] == "client_credentials")
    #expect(form["scope"] == "openid offline_access")
    #expect(form["refresh_token"] == nil)
  }

  @Test @HostActor func aWrongClockIsSaid() async throws {
    let provider = try Provider([
      ServerResponse(
        status: 200, headers: [("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Content-Type", "application/json")],
        body: Array(
          JSON.object(["access_token": "a", "token_type": "Bearer", "expires_on": "784115377"]).encoded().utf8))
    ])
    let manager = try await provider.manager()
    var told: [ClockSkew] = []
    _ = manager.events.onClockSkew { told.append($0) }
    let account = try await signIn(manager)
    #expect(try await manager.refresh(account).reveal() == "a")
    #expect(told.count == 1)
    #expect(told.first?.message.contains("days ahead of the provider's") == true)
    // An hour by the provider's clock is an hour by this one.
    #expect(account.expiresAt == account.obtainedAt + 3600)
    #expect(try await manager.token(for: account).reveal() == "a")
  }
}
