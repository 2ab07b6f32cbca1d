import Accounts
import Core
import HostLoop
import OAuth
import Settings

/// Renews the tokens of an account by the function `refresh` of its flow, in a context like the one of the sign-in.
struct FlowRefresher: TokenRefresher {
  let settings: Settings
  let client: OAuthClient
  let renew: @HostActor (Account, FlowContext, Secret?) async throws -> TokenSet

  func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenSet {
    try await run(account, refreshToken)
  }

  func renewWithoutUser(_ account: Account) async throws -> TokenSet { try await run(account, nil) }

  private func run(_ account: Account, _ refreshToken: Secret?) async throws -> TokenSet {
    let context = FlowContext(settings: settings, client: client, policy: account.policy)
    context.proofKey = account.binding.proofKey
    context.grantScopes = account.requestedScopes
    let tokens = try await context.run { try await renew(account, $0, refreshToken) }
    let refresher = OAuthTokenRefresher(client)
    guard tokens.grantType != "refresh_token", tokens.idToken != nil, account.isProven else {
      return try await refresher.accepted(tokens, account)
    }
    // The flow has signed the user in again, so the rules are those of a sign-in.
    try refresher.checkUser(tokens, account)
    _ = try await client.claims(
      of: tokens, policy: account.policy, nonce: context.authorization?.nonce, maxAge: context.authorization?.maxAge)
    return tokens
  }

  var clockDifference: Double? { client.clockDifference }
}
