package import Core
package import HostLoop
import OAuth

/// Signs accounts in and out, keeps their tokens fresh and tells subscribers, each of them once.
@HostActor
package final class AccountManager {
  package let store: AccountStore
  package let events: AccountEvents
  /// The events of the run; nil when nobody watches them.
  let runEvents: Events?
  /// The provider's token endpoint for an account; accounts may be of different tenants.
  let refresher: @HostActor (Account) async throws -> any TokenRefresher
  /// The renewals under way, by account.
  var renewals: [String: SharedResult<Secret>] = [:]

  /// The difference of clocks that subscribers were told last.
  var reportedSkew: ClockSkew?
  let pauses: RenewalPauses

  /// - Parameters:
  ///   - pauses: between requests for new tokens that fail.
  ///   - refresher: what renews the tokens of an account.
  package init(
    store: AccountStore, events: AccountEvents = AccountEvents(), runEvents: Events? = nil,
    pauses: RenewalPauses = RenewalPauses(),
    refresher: @escaping @HostActor (Account) async throws -> any TokenRefresher
  ) {
    self.store = store
    self.events = events
    self.runEvents = runEvents
    self.pauses = pauses
    self.refresher = refresher
  }

  /// Stores the data of an account; subscribers hear of it when it had changed.
  /// - Throws: `account_changed` when another process stored other data meanwhile.
  package func save(_ account: Account) async throws {
    guard try store.save(account) else { return }
    try await events.deliver(AccountChange(kind: .updated, account: account, reason: .userData))
  }

  /// Removes the account and its tokens from the store. Nothing happens when it has been removed before.
  /// - Parameter reason: what subscribers are told.
  package func signOut(_ account: Account, reason: AccountChange.Reason = .signOut) async throws {
    guard !account.isRemoved else { return }
    try store.remove(account)
    account.isRemovalReported = true
    try await events.deliver(AccountChange(kind: .removed, account: account, reason: reason))
  }

  /// The ID token of the last sign-in, for `id_token_hint`; nil when the provider gave none.
  package func idToken(of account: Account) async throws(AccountError) -> Secret? {
    try await tokens(of: account).idToken
  }

  /// The refresh token, for a provider that can revoke it; nil when there is none.
  package func refreshToken(of account: Account) async throws(AccountError) -> Secret? {
    try await tokens(of: account).refreshToken
  }

  /// The secret of the client that the account signed in with; nil when that is a public client.
  package func clientSecret(of account: Account) async throws(AccountError) -> Secret? {
    try await tokens(of: account).clientSecret
  }

  /// The type of the access token, as its provider or the flow of the sign-in named it (RFC 6749, 7.1).
  package func tokenType(of account: Account) async throws(AccountError) -> String {
    try await tokens(of: account).tokenType
  }

  private func tokens(of account: Account) async throws(AccountError) -> TokenSet {
    guard !account.isRemoved else { throw store.removed(account) }
    return try await store.tokens(of: account)
  }
}
