import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant

/// A directory of External ID whose users come from B2C: a user who is not migrated has a random password, and the hook
/// decides about the one that the user types.
@HostActor
final class MovingDirectory {
  enum End: Equatable {
    case signedIn
    /// The password is wrong, as the user sees it.
    case refused
    /// The hook broke; the user may try again.
    case failed(String)
  }

  let external: RehearsalTenant
  private let hook: LegacyHook
  /// The users with `toBeMigrated`.
  private(set) var waiting: Set<String> = []
  private let http = HTTPClient(HTTPClientConfiguration(maximumConnectionsPerHost: 8))

  init(_ external: RehearsalTenant, _ hook: LegacyHook) {
    self.external = external
    self.hook = hook
  }

  /// Makes the user, with a random password and the mark `toBeMigrated`.
  func add(_ user: String) throws {
    try external.tenant.addUser(username: user, password: "Aa1-" + SecureRandom.token(24))
    waiting.insert(user)
  }

  func signIn(_ user: String, _ password: String) async throws -> End {
    // Another sign-in of the same user may have moved the password meanwhile.
    guard waiting.contains(user) else { return try await external.takes(user, password) ? .signedIn : .refused }
    switch try await call(user, password) {
    case .migrate:
      if waiting.remove(user) != nil { try external.store(password, of: user) }
      return try await external.takes(user, password) ? .signedIn : .refused
    case .retry, .update, .block: return .refused
    case .broken(let reason): return .failed(reason)
    }
  }

  private func call(_ user: String, _ password: String) async throws -> HookContract.Action {
    let nonce = SecureRandom.token(16)
    let body = try HookContract.request(
      username: user, password: Secret(password), nonce: nonce, clientID: external.clientID, key: hook.publicKey)
    var request = HTTPRequest(
      method: "POST", url: hook.url, headers: ["Content-Type": "application/json"],
      body: Array(body.encoded().utf8))
    request.timeout = LegacyHook.patience
    request.followsRedirects = false
    do throws(HTTPError) {
      let response = try await http.send(request)
      return HookContract.action(status: response.status, response.body, nonce: nonce)
    } catch { return .broken(error.code) }
  }
}
