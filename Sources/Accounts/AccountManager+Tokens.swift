package import Core
import HostLoop
import OAuth

extension AccountManager {
  /// The account's access token, refreshed first when it is due.
  ///
  /// It is due some time before it expires. When it cannot be refreshed then, for the provider is down, it is returned as
  /// long as it is good, and nobody hears of the failure.
  /// - Parameter rejected: the token that was answered with 401; the one that is returned is another.
  /// - Throws: what the provider or the store said, after subscribers of failures have heard it; `sign_in_required` when
  ///   only the user can help; `refresh_paused` when another process has just found that the provider is down.
  package func token(for account: Account, afterRejected rejected: Secret? = nil) async throws -> Secret {
    if !account.isRemoved, account.tokens == nil, rejected == nil {
      // Tokens that do not open are a failure that subscribers hear of, so `renew` finds that out again.
      _ = try? await store.tokens(of: account)
    }
    if let unstored = account.unstored {
      // Its failure has been reported; the tokens are good here, stored or not.
      _ = try? await store.replaceTokens(of: account, with: unstored)
    }
    if let token = account.tokens?.accessToken, token != rejected, !account.isDue(at: store.now()) { return token }
    return try await renew(account, rejected.map(RenewalNeed.rejected) ?? .due)
  }

  /// Replaces the account's tokens now, whether they are due or not.
  @discardableResult
  package func refresh(_ account: Account) async throws -> Secret {
    try await renew(account, .asked)
  }

  /// One renewal at a time for each account: who comes while one is under way gets its result.
  private func renew(_ account: Account, _ need: RenewalNeed) async throws -> Secret {
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
  private func run(_ account: Account, _ need: RenewalNeed) async throws -> Secret {
    let outcome: RenewalOutcome
    do { outcome = try await obtain(account, need) } catch { outcome = .failed(error) }
    renewals[account.id] = nil
    switch outcome {
    case .kept(let token): return token
    case .renewed(let token):
      try await events.deliver(AccountChange(kind: .updated, account: account, reason: .refresh))
      return token
    case .failed(let error):
      try await report(error, account)
      throw error
    case .failedBefore(let error): throw error
    }
  }
}

/// Why a token is asked for.
enum RenewalNeed: Sendable {
  case due
  case rejected(Secret)
  case asked
}

/// How a renewal ended.
enum RenewalOutcome {
  /// Nothing was to be done, or nothing could be and the token is still good.
  case kept(Secret)
  case renewed(Secret)
  case failed(any Error)
  /// For a reason that subscribers have been told.
  case failedBefore(any Error)
}
