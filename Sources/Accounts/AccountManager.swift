package import Core
package import HostLoop
import JSON
package import OAuth

/// Signs accounts in and out, keeps their tokens fresh and tells subscribers, each of them once.
@HostActor
package final class AccountManager {
  package let store: AccountStore
  package let events: AccountEvents
  let runEvents: Events?
  /// The provider's token endpoint for an account; accounts may be of different tenants.
  let refresher: @HostActor (Account) async throws -> any TokenRefresher
  var renewals: [String: SharedResult<Secret>] = [:]

  /// The difference of clocks that subscribers were told last.
  var reportedSkew: ClockSkew?
  let pauses: RenewalPauses

  /// - Parameter pauses: between requests for new tokens that fail.
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
    guard try await store.save(account) else { return }
    try await events.deliver(AccountChange(kind: .updated, account: account, reason: .userData))
  }

  /// Removes the account and its tokens from the store, if they are there. Subscribers are told the reason.
  package func signOut(_ account: Account, reason: AccountChange.Reason = .signOut) async throws {
    guard !account.isRemoved else { return }
    try await store.remove(account)
    account.isRemovalReported = true
    try await events.deliver(AccountChange(kind: .removed, account: account, reason: reason))
  }

  /// The tokens of an account that is still in the store.
  package func tokens(of account: Account) async throws(AccountError) -> TokenSet {
    guard !account.isRemoved else { throw store.removed(account) }
    return try await store.tokens(of: account)
  }

  /// How often a sign-in may go on with the request of a failure's handler.
  package nonisolated static let maximumAttempts = 5

  /// Signs in: runs the flow, stores the account, makes it the current one and tells subscribers. Subscribers of
  /// failures hear of each failure once. When one of them returns a request, the sign-in goes on with that, in at most
  /// five attempts altogether; else the failure is thrown. A canceled sign-in is no failure.
  package func signIn(_ request: SignInRequest) async throws -> Account {
    var request = request
    var number = 1
    while true {
      let start = HostLoop.uptime
      let result = await attempt(request, number)
      emit(request, number, result, start)
      switch result {
      case .success(let change):
        try await events.deliver(change)
        return change.account
      case .failure(let failure):
        if failure.error is CancellationError || Task.isCancelled { throw CancellationError() }
        guard let answer = try await events.deliver(failure), number < Self.maximumAttempts else { throw failure.error }
        request = answer
        number += 1
      }
    }
  }

  private func emit(
    _ request: SignInRequest, _ number: Int, _ result: Result<AccountChange, SignInFailure>, _ start: Double
  ) {
    var attempt = RunEvent.SignInAttempt(number: number)
    attempt.flow = request.flowName ?? "a function"
    attempt.policy = request.policy
    attempt.agent = request.agent ?? "none"
    switch result {
    case .success(let change): (attempt.outcome, attempt.account) = (change.kind.rawValue, change.account.name)
    case .failure(let failure): (attempt.stage, attempt.error) = (failure.stage.rawValue, failure.error)
    }
    runEvents?.emit(RunEvent.signedIn(attempt, start: start))
  }

  private func attempt(_ request: SignInRequest, _ number: Int) async -> Result<AccountChange, SignInFailure> {
    var stage: SignInFailure.Stage?
    do {
      let (tokens, claims) = try await request.flow(number)
      stage = .token
      guard let subject = claims["sub"]?.string, !subject.isEmpty else {
        throw AccountError(
          .noSubject, "the sign-in gave no claim \"sub\", without which there is no account",
          hint: "request the scope openid, or use the tokens without an account")
      }
      let identity = AccountIdentity(
        issuer: claims["iss"]?.string ?? "", subject: subject, accountType: request.accountType, policy: request.policy)
      let added = try await store.add(tokens, claims: claims, identity: identity, request)
      return .success(AccountChange(kind: added.isNew ? .added : .updated, account: added.account, reason: .signIn))
    } catch {
      return .failure(
        SignInFailure(
          error: error, policy: request.policy, stage: stage ?? .init(of: error), accountType: request.accountType,
          account: nil, attempt: number, caller: request.caller))
    }
  }

  /// The account's access token, refreshed first when it is due, some time before it expires. If the provider is down
  /// then, the token is returned as long as it is good, and nobody hears of the failure.
  /// - Parameter rejected: the token that was answered with 401; the one that is returned is another.
  /// - Throws: what the provider or the store said, after subscribers of failures have heard it; `sign_in_required`
  ///   when only the user can help; `refresh_paused` when another process has just found that the provider is down.
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
  @discardableResult package func refresh(_ account: Account) async throws -> Secret {
    try await renew(account, .asked)
  }

  /// The ID of the account whose tokens the current task renews: its flow must not wait for itself.
  @TaskLocal private static var renewing: String?

  /// One renewal at a time for each account: who comes while one is under way gets its result.
  private func renew(_ account: Account, _ need: RenewalNeed) async throws -> Secret {
    guard Self.renewing != account.id else {
      throw AccountError(
        .refreshBusy, "the flow that renews the tokens of the account \(account.name) asks for a token of this account",
        hint: "use ctx.options.refresh_token in the function refresh of the flow")
    }
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
    do {
      outcome = try await Self.$renewing.withValue(account.id) { try await obtain(account, need) }
    } catch { outcome = .failed(error) }
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

  /// Tells subscribers of a failed renewal. A failure that only a sign-in can mend is told once.
  func report(_ error: any Error, _ account: Account) async throws {
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
        attempt: 1, caller: nil)
      do { _ = try await events.deliver(failure) } catch { handlerErrors += error.errors }
    }
    if isRemovalNew {
      let change = AccountChange(kind: .removed, account: account, reason: .revoked)
      do { try await events.deliver(change) } catch { handlerErrors += error.errors }
    }
    if !handlerErrors.isEmpty { throw HandlerFailures(errors: handlerErrors, cause: error) }
  }

  /// Tells subscribers when this machine's clock is wrong, and again when it is wrong by another amount.
  /// - Parameter difference: seconds by which it is ahead of the provider's; nil while unknown.
  package func compareClocks(_ difference: Double?) {
    guard let difference else { return }
    guard let skew = ClockSkew(seconds: difference) else {
      reportedSkew = nil
      return
    }
    if let reportedSkew, (reportedSkew.seconds - skew.seconds).magnitude < ClockSkew.tolerance { return }
    reportedSkew = skew
    events.deliver(skew)
  }

  func signInRequired(_ account: Account, _ why: String) -> AccountError {
    AccountError(.signInRequired, "the account \(account.name) \(why)", hint: "sign in again")
  }

  func noAccessToken(_ account: Account) -> AccountError {
    let scopes = account.scopes.isEmpty ? "none" : account.scopes.joined(separator: " ")
    return AccountError(
      .noAccessToken, "the provider gave the account \(account.name) no access token (scopes: \(scopes))",
      hint: "ask for a scope of the API, or for the client ID as a scope, when you sign in")
  }
}

enum RenewalNeed: Sendable {
  case due
  case rejected(Secret)
  case asked
}

enum RenewalOutcome {
  /// Nothing was to be done, or nothing could be and the token is still good.
  case kept(Secret)
  case renewed(Secret)
  case failed(any Error)
  /// For a reason that subscribers have been told.
  case failedBefore(any Error)
}
