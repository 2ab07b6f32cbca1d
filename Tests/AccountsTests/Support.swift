import Accounts
import Core
import Databases
import Glibc
import HostLoop
import JSON
import OAuth
import Synchronization
import TestSupport

extension TemporaryFolder {
  func mode(_ name: String = "") -> String {
    var status = stat()
    stat("\(path)/\(name)", &status)
    return String(status.st_mode & 0o777, radix: 8)
  }
}

/// A time that tests set.
final class Clock: Sendable {
  private let time = Mutex(Int64(1_800_000_000))
  var now: Int64 {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
  var read: @Sendable () -> Int64 { { self.now } }
}

let alice: JSON = [
  "iss": "https://issuer.example/", "sub": "a1", "name": "Alice", "emails": ["alice@contoso.example"],
]
let bob: JSON = ["iss": "https://issuer.example/", "sub": "b2", "emails": ["bob@contoso.example"]]

/// A refresher that gives out numbered tokens, or fails as told, and counts.
@HostActor
final class ScriptedRefresher: TokenRefresher {
  var asked: [String] = []
  var failures: [any Error] = []
  /// Called while the request is under way.
  var meanwhile: (@HostActor () async throws -> Void)?
  var grantsAccess = true
  var clockDifference: Double?

  func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenSet {
    try await answer(to: refreshToken.reveal())
  }

  func renewWithoutUser(_ account: Account) async throws -> TokenSet {
    try await answer(to: account.grantType)
  }

  private func answer(to request: String) async throws -> TokenSet {
    asked.append(request)
    let number = asked.count
    try await meanwhile?()
    // Others get their turn, as they would during a request.
    for _ in 0..<3 { await Task.yield() }
    if !failures.isEmpty { throw failures.removeFirst() }
    return TokenSet(
      accessToken: grantsAccess ? Secret("access-\(number)-of-refresh") : nil,
      refreshToken: Secret("refresh-\(number)-rotated"), expiresIn: 3600)
  }
}

/// Signs in without a provider.
@HostActor
func signIn(
  _ manager: AccountManager, _ claims: JSON = alice, access: String? = "access-0-of-sign-in",
  refresh: String? = "refresh-0-of-sign-in", expiresIn: Int64? = 3600, policy: String? = "B2C_1_SignIn",
  accountType: String = "default", provider: JSON = [:], clientSecret: String? = nil,
  grantType: String = "authorization_code", agent: String? = nil, session: String? = nil
) async throws -> Account {
  try await manager.signIn(
    SignInRequest(
      policy: policy, accountType: accountType, scopes: ["openid", "offline_access"], provider: provider,
      clientSecret: clientSecret.map { Secret($0) }, agent: agent, session: session
    ) { _ in
      let tokens = TokenSet(
        accessToken: access.map { Secret($0) }, refreshToken: refresh.map { Secret($0) },
        idToken: Secret("id-token-of-sign-in"), expiresIn: expiresIn, grantType: grantType)
      return (tokens, claims)
    })
}

/// Pauses that take no time, and the shortest silence.
let noPauses = RenewalPauses(first: 0) { $0.lowerBound }

/// A failure of a provider.
struct ProviderFailure: Failure, Equatable {
  var code: String
  var retryAfter: String?
  var message: String { "the provider said \(code)" }
  var isRetryable: Bool { ["unreachable", "timeout", "connection_lost", "server_error"].contains(code) }
  var details: [String: String] { retryAfter.map { ["retry_after": $0] } ?? [:] }
}

/// Records the events that subscribers receive.
@HostActor
final class Listener {
  var heard: [String] = []
  var failures: [SignInFailure] = []

  init(_ events: AccountEvents) {
    _ = events.onChanged { change in
      self.heard.append("\(change.kind) \(change.reason.rawValue) \(change.account.name)")
    }
    _ = events.onFailed { failure in
      self.failures.append(failure)
      self.heard.append("failed \(failure.stage.rawValue) \(failure.attempt)")
      return nil
    }
  }
}

extension AccountManager {
  func idToken(of account: Account) async throws -> Secret? { try await tokens(of: account).idToken }
  func refreshToken(of account: Account) async throws -> Secret? { try await tokens(of: account).refreshToken }
  func clientSecret(of account: Account) async throws -> Secret? { try await tokens(of: account).clientSecret }
}
