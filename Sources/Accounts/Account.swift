import Core
package import HostLoop
package import JSON
package import OAuth

/// One signed-in user of one policy. There is one object for each account of a store, however often it is looked up.
@HostActor
package final class Account: Sendable {
  /// Made by this program when the account is added; a UUID.
  package nonisolated let id: String
  nonisolated let identity: AccountIdentity
  /// The account as it is stored, but for the data.
  var row: AccountRow
  /// The data that a script keeps with the account; stored by `AccountManager.save`.
  package var data: JSON {
    didSet { if data != oldValue { hasUnsavedData = true } }
  }
  var hasUnsavedData = false
  /// True if the account has left the store: signed out, or revoked by its provider.
  package internal(set) var isRemoved = false
  /// True if subscribers know that the account has left the store.
  var isRemovalReported = false
  /// Before then (Unix seconds) this process leaves a token that is still good as it is.
  var quietUntil: Int64 = 0
  /// The reason for the pause that ends at `until`, as subscribers have been told.
  var pauseReason: (until: Int64, error: any Error)?
  /// The tokens once opened; opening waits until one is needed.
  var tokens: TokenSet?
  /// The binding of the tokens, once they are opened.
  package var binding: TokenBinding { tokens?.binding ?? TokenBinding() }
  /// Tokens that the provider gave and the store did not take.
  var unstored: RenewedTokens?
  /// The tokens whose loss has been reported to `on_failed`, which hears it once.
  var reportedTokenRevision: Int64?

  init(_ row: AccountRow) {
    id = row.id
    identity = row.identity
    self.row = row
    data = row.data
  }

  package nonisolated var issuer: String { identity.issuer }
  package nonisolated var subject: String { identity.subject }
  package nonisolated var accountType: String { identity.accountType }
  package nonisolated var policy: String? { identity.policy }
  /// From the claims: `name`, else the first of `emails`, else `preferred_username`, else `sub`.
  package var name: String { row.name }
  /// The claims of the validated ID token of the last sign-in.
  package var claims: JSON { row.claims }
  /// The scopes that the provider granted, or those asked for where it did not say.
  package var scopes: [String] { row.scopes }
  /// The scopes asked for at sign-in, which a refresh asks for again.
  package var requestedScopes: [String] { row.requestedScopes }
  /// The settings that say where and as whom the account signed in, without secrets.
  package var provider: JSON { row.provider }
  /// How its tokens were asked for (RFC 6749, 1.3), `authorization_code` for one.
  package var grantType: String { row.grantType }
  /// The user agent of the last sign-in; nil when it was not told.
  package var agent: String? { row.agent }
  /// The name of that agent's session; nil when it had none.
  package var session: String? { row.session }
  /// The flow that renews the tokens (see `TokenSet.refreshFlow`); nil if the token endpoint does.
  package var refreshFlow: String? { row.refreshFlow }
  /// False if no ID token, but the script of the sign-in says who the account is.
  package var isProven: Bool { row.isProven }
  /// When the access token expires, in Unix seconds; nil when the provider did not say.
  package var expiresAt: Int64? { row.expiresAt }
  /// When the tokens were obtained, in Unix seconds of this machine's clock.
  package var obtainedAt: Int64 { row.obtainedAt }
  /// Before then (Unix seconds) the provider is not asked again; 0 when nothing is in the way.
  var retryAfter: Int64 { row.retryAfter }
  /// Renewals begun since the last one that succeeded, by any process.
  var unfinishedRenewals: Int64 { row.unfinishedRenewals }
  /// Counts the changes to the stored tokens, by any process.
  var tokenRevision: Int64 { row.tokenRevision }

  /// Takes over what the store holds; data that a script changed and has not saved stays.
  func update(_ row: AccountRow) {
    let old = self.row
    // The answer of a database may come after that of a later change.
    guard row.tokenRevision >= old.tokenRevision, row.dataRevision >= old.dataRevision else { return }
    self.row = row
    if row.tokenRevision == old.tokenRevision, row.facts == old.facts {
      // Tokens that could not be stored are in use here.
      (self.row.obtainedAt, self.row.expiresAt) = (old.obtainedAt, old.expiresAt)
    } else {
      tokens = nil
      unstored = nil
    }
    if row.dataRevision == old.dataRevision || hasUnsavedData {
      self.row.dataRevision = old.dataRevision
    } else {
      data = row.data
      hasUnsavedData = false
    }
  }

  /// Uses tokens that could not be stored; `AccountManager.token` tries that again.
  func hold(_ renewed: RenewedTokens) {
    tokens = renewed.tokens
    row.obtainedAt = renewed.obtainedAt
    row.expiresAt = renewed.expiresAt
    unstored = renewed
  }

  /// True if new tokens are got by making the grant again, as for an account that is the application itself.
  package var renewsWithoutUser: Bool { grantType == "client_credentials" }

  /// True if the access token should be replaced: a minute before it expires, but never in the first half of its life.
  func isDue(at now: Int64) -> Bool {
    guard let expiresAt else { return false }
    return !hasCredibleAge(at: now) || now >= expiresAt - min(60, max(0, expiresAt - obtainedAt) / 2)
  }

  func isGood(at now: Int64) -> Bool {
    guard let expiresAt else { return false }
    return hasCredibleAge(at: now) && now < expiresAt
  }

  /// Tokens from the future are from before the clock was set back: their age is unknown; they may seem good for years.
  private func hasCredibleAge(at now: Int64) -> Bool { obtainedAt <= now + 60 }
}
