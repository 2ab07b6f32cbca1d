import Diagnostics
import HostLoop
package import Secrets

extension AccountManager {
  /// The account's access token, refreshed first when it is due.
  /// - Parameter rejected: the token that was answered with 401; the one that is returned is another.
  /// - Throws: what the provider or the store said, after subscribers of failures have heard it; `sign_in_required` when
  ///   only the user can help.
  package func token(for account: Account, afterRejected rejected: Secret? = nil) async throws -> Secret {
    if !account.isRemoved, account.tokens == nil, rejected == nil {
      // Tokens that do not open are a failure that subscribers hear of, so `renew` finds that out again.
      _ = try? await store.tokens(of: account)
    }
    if let token = account.tokens?.accessToken, token != rejected, !account.isDue(at: store.now()) { return token }
    return try await renew(account, rejected.map(Need.rejected) ?? .due)
  }

  /// Replaces the account's tokens now, whether they are due or not.
  @discardableResult
  package func refresh(_ account: Account) async throws -> Secret {
    try await renew(account, .asked)
  }

  /// What an API client calls for the token of one account, also after a 401.
  package func tokenProvider(
    for account: Account
  ) -> @HostActor @Sendable (_ afterRejected: Secret?) async throws -> Secret {
    { [self] rejected in try await token(for: account, afterRejected: rejected) }
  }

  private enum Need: Sendable {
    case due
    case rejected(Secret)
    case asked
  }

  /// One renewal at a time for each account: who comes while one is under way gets its result.
  private func renew(_ account: Account, _ need: Need) async throws -> Secret {
    if let renewal = renewals[account.id] {
      let token = try await renewal.value()
      // Another process may have stored the very token that was rejected here.
      guard case .rejected(token) = need else { return token }
      return try await renew(account, need)
    }
    let renewal = SharedResult<Secret>()
    renewals[account.id] = renewal
    HostActor.task { [self] in
      do { renewal.finish(.success(try await run(account, need))) } catch { renewal.finish(.failure(error)) }
    }
    return try await renewal.value()
  }

  /// Renews, then tells subscribers. The renewal is over before they hear of it, so that they may ask for the token.
  private func run(_ account: Account, _ need: Need) async throws -> Secret {
    let result: Result<(Secret, isNew: Bool), any Error>
    do { result = .success(try await obtain(account, need)) } catch { result = .failure(error) }
    renewals[account.id] = nil
    switch result {
    case .success((let token, let isNew)):
      if isNew { try await events.deliver(AccountChange(kind: .updated, account: account, reason: .refresh)) }
      return token
    case .failure(let error):
      try await report(error, account)
      throw error
    }
  }

  /// A token that can be used, and whether it was refreshed here.
  private func obtain(_ account: Account, _ need: Need) async throws -> (Secret, isNew: Bool) {
    let before = account.tokenRevision
    let lock = try await store.lockRefresh(of: account)
    defer { lock?.release() }
    try store.reload(account)
    guard !account.isRemoved else { throw signInRequired(account, "is signed out") }
    let tokens = try await store.tokens(of: account)
    if let token = usable(tokens, account, need, since: before) { return (token, false) }
    guard let refreshToken = tokens.refreshToken else {
      if tokens.accessToken == nil { throw noAccessToken(account) }
      throw signInRequired(account, "has an access token that is no longer good, and no refresh token")
    }
    // A sign-in may store other tokens while the provider is asked; those are then the ones to keep.
    let revision = account.tokenRevision
    let isStored: Bool
    let refresher = try refresher(account)
    do {
      let grant = try await refresher.refresh(refreshToken, account: account)
      isStored = try await store.replaceTokens(
        of: account, with: TokenSet(grant, renewing: tokens), grant, ifStill: revision)
    } catch  where refresher.isRevocation(error) {
      if try remove(account, revoked: error, ifStill: revision) { throw error }
      isStored = false
    }
    guard !account.isRemoved else { throw signInRequired(account, "was signed out while its tokens were refreshed") }
    guard let token = try await store.tokens(of: account).accessToken else { throw noAccessToken(account) }
    return (token, isStored)
  }

  private func remove(_ account: Account, revoked error: any Error, ifStill revision: Int64) throws -> Bool {
    do { return try store.remove(account, ifStill: revision) } catch let storeError {
      throw AccountError(
        storeError.kind,
        "the provider no longer honors the account \(account.name) (\(error)), and it could not be removed: \(storeError.message)",
        hint: storeError.hint)
    }
  }

  /// Tells subscribers of a renewal that failed. What only a sign-in can mend is told once, however often the token is
  /// asked for.
  private func report(_ error: any Error, _ account: Account) async throws {
    let isRemovalNew = account.isRemoved && !account.isRemovalReported
    let isFailureNew: Bool
    if account.isRemoved {
      isFailureNew = isRemovalNew && account.reportedTokenRevision != account.tokenRevision
      account.isRemovalReported = true
    } else if let error = error as? AccountError,
      [.signInRequired, .noAccessToken, .tokensUnreadable].contains(error.kind)
    {
      isFailureNew = account.reportedTokenRevision != account.tokenRevision
      account.reportedTokenRevision = account.tokenRevision
    } else {
      isFailureNew = true
    }
    var handlerErrors: [any Error] = []
    if isFailureNew {
      let failure = SignInFailure(
        error: error, policy: account.policy, stage: .refresh, accountType: account.accountType, account: account,
        attempt: 1, options: nil)
      do { _ = try await events.deliver(failure) } catch { handlerErrors += error.errors }
    }
    if isRemovalNew {
      let change = AccountChange(kind: .removed, account: account, reason: .revoked)
      do { try await events.deliver(change) } catch { handlerErrors += error.errors }
    }
    if !handlerErrors.isEmpty { throw HandlerFailures(errors: handlerErrors, cause: error) }
  }

  private func usable(_ tokens: TokenSet, _ account: Account, _ need: Need, since revision: Int64) -> Secret? {
    guard let token = tokens.accessToken, !account.isDue(at: store.now()) else { return nil }
    switch need {
    case .due: return token
    case .rejected(let rejected): return token == rejected ? nil : token
    case .asked: return account.tokenRevision == revision ? nil : token
    }
  }

  private func signInRequired(_ account: Account, _ why: String) -> AccountError {
    AccountError(.signInRequired, "the account \(account.name) \(why)", hint: "sign in again")
  }

  private func noAccessToken(_ account: Account) -> AccountError {
    let scopes = account.scopes.isEmpty ? "none" : account.scopes.joined(separator: " ")
    return AccountError(
      .noAccessToken, "the provider gave the account \(account.name) no access token (scopes: \(scopes))",
      hint: "ask for a scope of the API, or for the client ID as a scope, when you sign in")
  }
}
