import JOSE
import Accounts
import HostLoop
import OAuth
import Secrets

/// Refreshes an account's tokens at the token endpoint of its policy.
struct OAuthRefresher: TokenRefresher {
  let client: OAuthClient

  func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenGrant {
    TokenGrant(try await client.token(.refreshToken(refreshToken, policy: account.policy)))
  }
}

extension TokenGrant {
  init(_ response: TokenResponse) {
    self.init(
      accessToken: response.accessToken, refreshToken: response.refreshToken,
      idToken: response.idToken.map { Secret($0) }, tokenType: response.tokenType,
      expiresIn: response.raw["expires_in"]?.lenientInteger, scopes: response.scopes)
  }
}
