import Accounts
import Core
import HostLoop
import OAuth

/// Renews the tokens of an account by the function `refresh` of its flow, in a context like the one of the sign-in.
struct FlowRefresher: TokenRefresher {
  let provider: Provider
  let renew: @HostActor (Account, SignInAttempt, Secret?) async throws -> TokenSet

  func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenSet {
    try await run(account, refreshToken)
  }

  func renewWithoutUser(_ account: Account) async throws -> TokenSet { try await run(account, nil) }

  private func run(_ account: Account, _ refreshToken: Secret?) async throws -> TokenSet {
    let attempt = SignInAttempt(provider, policy: account.policy, grantScopes: account.requestedScopes)
    attempt.proofKey = account.binding.proofKey
    defer { attempt.end() }
    let tokens = try await renew(account, attempt, refreshToken)
    let refresher = OAuthTokenRefresher(provider)
    guard tokens.grantType != "refresh_token", tokens.idToken != nil, account.isProven else {
      return try await refresher.accepted(tokens, account)
    }
    // The flow has signed the user in again, so the rules are those of a sign-in.
    try refresher.checkUser(tokens, account)
    _ = try await IDTokenValidator(provider).claims(
      of: tokens, policy: account.policy, nonce: attempt.authorization?.nonce, maxAge: attempt.maxAge)
    return tokens
  }

  var clockDifference: Double? { provider.clockDifference }
}
