import Core
import Glibc
import HTTPClient
import HostLoop
import OAuth

extension AccountManager {
  /// A token that can be used: the one at hand, the one another process has stored meanwhile, or a new one.
  func obtain(_ account: Account, _ need: RenewalNeed) async throws -> RenewalOutcome {
    let before = account.tokenRevision
    return try await store.whileNobodyRefreshes(account) { right in
      try await obtain(account, need, since: before, by: right)
    }
  }

  private func obtain(
    _ account: Account, _ need: RenewalNeed, since before: Int64, by right: (any HeldRight)?
  ) async throws -> RenewalOutcome {
    try await store.reload(account)
    var tokens = try await currentTokens(of: account)
    if let token = usable(tokens, account, need, since: before) { return .kept(token) }
    if let seconds = shortPause(account, tokens, need) {
      try await HostLoop.shared.sleep(seconds: Double(seconds))
      // Somebody may have signed in, or out, meanwhile.
      try await store.reload(account)
      tokens = try await currentTokens(of: account)
      if let token = usable(tokens, account, need, since: before) { return .kept(token) }
    }
    guard account.renewsWithoutUser || account.refreshFlow != nil || tokens.refreshToken != nil else {
      if let token = goodToken(tokens, account, need) { return .kept(token) }
      if tokens.accessToken == nil { throw noAccessToken(account) }
      throw signInRequired(account, "has an access token that is no longer good, and no refresh token")
    }
    if let outcome = pausedOutcome(account, tokens, need) { return outcome }
    return try await renew(account, tokens, need, by: right)
  }

  private func currentTokens(of account: Account) async throws -> TokenSet {
    guard !account.isRemoved else { throw signInRequired(account, "is signed out") }
    return try await store.tokens(of: account)
  }

  private func renew(
    _ account: Account, _ tokens: TokenSet, _ need: RenewalNeed, by right: (any HeldRight)?
  ) async throws -> RenewalOutcome {
    // A sign-in may store other tokens while the provider is asked; those are then the ones to keep.
    let revision = account.tokenRevision
    let refresher = try await refresher(account)
    // A store that cannot be written is found out before the provider replaces the refresh token.
    try await store.beginRenewal(of: account, by: right)
    defer { compareClocks(refresher.clockDifference) }
    let isStored: Bool
    do {
      isStored = try await keep(
        try await ask(refresher, account, tokens), of: account, renewing: tokens, ifStill: revision)
    } catch let failure as FailedRequest {
      if failure.meaning == .revoked {
        if try await remove(account, revoked: failure.error, ifStill: revision) { throw failure.error }
        isStored = false
      } else {
        await silence(account, after: failure)
        if let token = goodToken(tokens, account, need) { return .kept(token) }
        throw failure.error
      }
    }
    guard !account.isRemoved else { throw signInRequired(account, "was signed out while its tokens were refreshed") }
    guard let token = try await store.tokens(of: account).accessToken else { throw noAccessToken(account) }
    return isStored ? .renewed(token) : .kept(token)
  }

  private struct FailedRequest: Error {
    let error: any Error
    let meaning: RenewalFailure
  }

  /// One request, and further ones after failures that pass.
  private func ask(_ refresher: any TokenRefresher, _ account: Account, _ tokens: TokenSet) async throws -> TokenSet {
    let start = HostLoop.uptime
    var failures: [RenewalFailure] = []
    while true {
      let begin = HostLoop.uptime
      func emit(_ error: (any Error)?) {
        runEvents?.emit(
          RunEvent.renewed(
            account: account.name, policy: account.policy, attempt: failures.count + 1, error: error, start: begin))
      }
      do {
        let renewed = try await RequestScope.retrying(after: failures.count) {
          if let refreshToken = tokens.refreshToken, !account.renewsWithoutUser {
            return try await refresher.refresh(refreshToken, account: account)
          }
          return try await refresher.renewWithoutUser(account)
        }
        emit(nil)
        return renewed
      } catch {
        emit(error)
        var meaning = refresher.judge(error)
        // An application has no sign-in that could be revoked: its settings are wrong.
        if meaning == .revoked, account.renewsWithoutUser { meaning = .final }
        failures.append(meaning)
        guard let pause = pauses.pause(after: failures, elapsed: HostLoop.uptime - start) else {
          throw FailedRequest(error: error, meaning: meaning)
        }
        try await HostLoop.shared.sleep(seconds: pause)
      }
    }
  }

  /// - Returns: false when others have been stored meanwhile.
  private func keep(
    _ tokens: TokenSet, of account: Account, renewing old: TokenSet, ifStill revision: Int64
  ) async throws -> Bool {
    let renewed = RenewedTokens(tokens: tokens.renewing(old), obtainedAt: store.now(), revision: revision)
    do { return try await store.replaceTokens(of: account, with: renewed) } catch {
      // The old refresh token may be worthless by now, and the process may end soon: a fault of the disk may have passed.
      if let isStored = try? await store.replaceTokens(of: account, with: renewed) { return isStored }
      if error.isRetryable, let isStored = try await waitToStore(renewed, of: account, after: error) { return isStored }
      // The new one stays usable here, and storing it is tried again.
      account.hold(renewed)
      throw AccountError(
        error.kind,
        "the provider gave the account \(account.name) new tokens, and they could not be stored: \(error.message)",
        hint: error.hint)
    }
  }

  /// In seconds, for a database of several machines that is away or full.
  private nonisolated static let storePatience = 300.0

  /// Repeats the storing while its errors may pass. Returns nil if they do not, or if the task is canceled.
  private func waitToStore(
    _ renewed: RenewedTokens, of account: Account, after error: AccountError
  ) async throws -> Bool? {
    store.tell(
      "the provider gave the account \(account.name) new tokens, and they cannot be stored yet: \(error.message); waiting for "
        + "the database, because the old ones may be worthless")
    let deadline = HostLoop.uptime + Self.storePatience
    while HostLoop.uptime < deadline {
      do { try await HostLoop.shared.sleep(seconds: 1) } catch { return nil }
      do { return try await store.replaceTokens(of: account, with: renewed) } catch {
        guard error.isRetryable else { return nil }
      }
    }
    return nil
  }

  private func remove(_ account: Account, revoked error: any Error, ifStill revision: Int64) async throws -> Bool {
    do { return try await store.remove(account, ifStill: revision) } catch let storeError {
      throw AccountError(
        storeError.kind,
        "the provider no longer honors the account \(account.name) (\(error)), and it could not be removed: \(storeError.message)",
        hint: storeError.hint)
    }
  }

  /// Keeps every process from asking for a while; after a final failure, only this one while its token is good.
  private func silence(_ account: Account, after failure: FailedRequest) async {
    let now = store.now()
    if failure.meaning == .final {
      account.quietUntil = now + 10
    } else {
      let seconds = pauses.silence(after: failure.meaning, failedBefore: account.unfinishedRenewals - 1)
      await store.pause(account, until: now + seconds)
      account.pauseReason = (account.retryAfter, failure.error)
    }
  }

  /// The seconds until the provider may be asked, where they are so few that a run which has not asked yet waits for them:
  /// the failure was another run's, which may be long over.
  private func shortPause(_ account: Account, _ tokens: TokenSet, _ need: RenewalNeed) -> Int64? {
    if case .asked = need { return nil }
    let rest = account.retryAfter - store.now()
    guard rest > 0, Wait(asked: Double(rest), deadline: RenewalPauses.longestWait).fits,
      account.pauseReason?.until != account.retryAfter,
      goodToken(tokens, account, need) == nil
    else { return nil }
    return rest
  }

  private func pausedOutcome(_ account: Account, _ tokens: TokenSet, _ need: RenewalNeed) -> RenewalOutcome? {
    if case .asked = need { return nil }
    let now = store.now()
    // A time far ahead is that of a clock that was wrong.
    let rest = Wait(asked: Double(account.retryAfter - now), deadline: Double(RenewalPauses.longestSilence))
    let isPaused = rest.asked > 0 && rest.fits
    if isPaused || now < account.quietUntil, let token = goodToken(tokens, account, need) { return .kept(token) }
    guard isPaused else { return nil }
    if let (until, error) = account.pauseReason, until == account.retryAfter { return .failedBefore(error) }
    let error = AccountError(
      .refreshPaused,
      "the provider did not renew the tokens of the account \(account.name) when another run asked; "
        + "it is asked again in \(account.retryAfter - now) s",
      hint: "try again then, or ask at once with account:refresh() in a script")
    account.pauseReason = (account.retryAfter, error)
    return .failed(error)
  }

  private func usable(_ tokens: TokenSet, _ account: Account, _ need: RenewalNeed, since revision: Int64) -> Secret? {
    guard let token = tokens.accessToken, !account.isDue(at: store.now()) else { return nil }
    switch need {
    case .due: return token
    case .rejected(let rejected): return token == rejected ? nil : token
    case .asked: return account.tokenRevision == revision ? nil : token
    }
  }

  private func goodToken(_ tokens: TokenSet, _ account: Account, _ need: RenewalNeed) -> Secret? {
    guard case .due = need, account.isGood(at: store.now()) else { return nil }
    return tokens.accessToken
  }
}
