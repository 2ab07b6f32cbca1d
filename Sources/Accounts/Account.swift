import Core
package import HostLoop
package import JSON

/// One signed-in user of one policy. There is one object for each account of a store, however often it is looked up.
@HostActor
package final class Account: Sendable {
  /// Made by this program when the account is added; a UUID.
  package nonisolated let id: String
  nonisolated let identity: AccountIdentity
  /// Where its lock is in the lock file.
  nonisolated let number: Int64
  /// From the claims: `name`, else the first of `emails`, else `preferred_username`, else `sub`.
  package internal(set) var name: String
  /// The claims of the validated ID token of the last sign-in.
  package internal(set) var claims: JSON
  /// Those the provider granted, or those asked for where it did not say.
  package internal(set) var scopes: [String]
  /// Those asked for at sign-in, which a refresh asks for again.
  package internal(set) var requestedScopes: [String]
  /// The settings that say where and as whom the account signed in, without secrets.
  package internal(set) var provider: JSON
  /// How its tokens were asked for (RFC 6749, 1.3), `authorization_code` for one.
  package internal(set) var grantType: String
  /// The user agent of the last sign-in; nil when it was not told.
  package internal(set) var agent: String?
  /// The name of that agent's session; nil when it had none.
  package internal(set) var session: String?
  /// When the access token expires, in Unix seconds; nil when the provider did not say.
  package internal(set) var expiresAt: Int64?
  /// What a script keeps with the account; stored by `AccountManager.save`.
  package var data: JSON {
    didSet { if data != oldValue { hasUnsavedData = true } }
  }
  /// Whether the account has left the store: signed out, or revoked by its provider.
  package internal(set) var isRemoved = false

  /// When the tokens were obtained, in Unix seconds of this machine's clock.
  package internal(set) var obtainedAt: Int64
  /// Before then (Unix seconds) the provider is not asked again; 0 when nothing is in the way.
  var retryAfter: Int64
  /// Renewals begun since the last one that succeeded, by any process.
  var unfinishedRenewals: Int64
  /// Before then (Unix seconds) this process leaves a token that is still good as it is.
  var quietUntil: Int64 = 0
  /// What the pause that ends at `until` is for, as subscribers have been told.
  var pauseReason: (until: Int64, error: any Error)?
  /// Tokens that the provider gave and the store did not take.
  var unstored: RenewedTokens?
  var hasUnsavedData = false
  /// Counts the changes to the stored tokens, and to the stored data, by any process.
  var tokenRevision: Int64
  var dataRevision: Int64
  var sealedTokens: String
  /// The tokens once opened; opening waits until one is needed.
  var tokens: TokenSet?
  /// Whether subscribers know that the account has left the store.
  var isRemovalReported = false
  /// The tokens whose loss has been reported to `on_failed`, which hears it once.
  var reportedTokenRevision: Int64?

  init(_ row: AccountRow) {
    id = row.id
    number = row.number
    identity = row.identity
    name = row.name
    claims = row.claims
    scopes = row.scopes
    requestedScopes = row.requestedScopes
    provider = row.provider
    grantType = row.grantType
    agent = row.agent
    session = row.session
    expiresAt = row.expiresAt
    obtainedAt = row.obtainedAt
    retryAfter = row.retryAfter
    unfinishedRenewals = row.unfinishedRenewals
    data = row.data
    tokenRevision = row.tokenRevision
    dataRevision = row.dataRevision
    sealedTokens = row.sealedTokens
  }

  package nonisolated var issuer: String { identity.issuer }
  package nonisolated var subject: String { identity.subject }
  package nonisolated var accountType: String { identity.accountType }
  package nonisolated var policy: String? { identity.policy }

  /// Takes over what the store holds; data that a script changed and has not saved stays.
  func update(_ row: AccountRow) {
    if row.tokenRevision != tokenRevision {
      name = row.name
      claims = row.claims
      scopes = row.scopes
      requestedScopes = row.requestedScopes
      provider = row.provider
      grantType = row.grantType
      agent = row.agent
      session = row.session
      expiresAt = row.expiresAt
      obtainedAt = row.obtainedAt
      tokenRevision = row.tokenRevision
      sealedTokens = row.sealedTokens
      tokens = nil
      unstored = nil
    }
    retryAfter = row.retryAfter
    unfinishedRenewals = row.unfinishedRenewals
    if row.dataRevision != dataRevision, !hasUnsavedData {
      data = row.data
      dataRevision = row.dataRevision
      hasUnsavedData = false
    }
  }

  /// Whether new tokens are got by making the grant again, as for an account that is the application itself.
  package var renewsWithoutUser: Bool { grantType == "client_credentials" }

  /// Whether the access token should be replaced before it is used: a minute before it expires, but never in the first
  /// half of its life.
  func isDue(at now: Int64) -> Bool {
    guard let expiresAt else { return false }
    return !hasCredibleAge(at: now) || now >= expiresAt - min(60, max(0, expiresAt - obtainedAt) / 2)
  }

  /// Whether the access token has surely not expired.
  func isGood(at now: Int64) -> Bool {
    guard let expiresAt else { return false }
    return hasCredibleAge(at: now) && now < expiresAt
  }

  /// Tokens from the future were obtained before the clock was set back: nobody knows how old they are, and by this clock
  /// they might not expire for years.
  private func hasCredibleAge(at now: Int64) -> Bool { obtainedAt <= now + 60 }
}
