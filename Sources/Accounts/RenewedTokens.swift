/// What a renewal brought, as it is stored.
struct RenewedTokens: Sendable {
  let tokens: TokenSet
  let obtainedAt: Int64
  let expiresAt: Int64?
  /// Nil to leave them as they are.
  let scopes: [String]?
  /// To be stored only in place of the tokens of that revision.
  let revision: Int64

  init(_ grant: TokenGrant, renewing old: TokenSet, ifStill revision: Int64, at now: Int64) {
    tokens = TokenSet(grant, renewing: old)
    obtainedAt = now
    expiresAt = grant.expiresIn.map { now + $0 }
    scopes = grant.scopes
    self.revision = revision
  }
}

extension Account {
  /// Uses tokens that could not be stored; `AccountManager.token` tries that again.
  func hold(_ renewed: RenewedTokens) {
    tokens = renewed.tokens
    obtainedAt = renewed.obtainedAt
    expiresAt = renewed.expiresAt
    unstored = renewed
  }
}
