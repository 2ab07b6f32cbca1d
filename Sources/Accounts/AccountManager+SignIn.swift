import Core
import HostLoop
import JSON

extension AccountManager {
  /// How often a sign-in may go on with the request of a failure's handler.
  package nonisolated static let maximumAttempts = 5

  /// Signs in: runs the flow, stores the account, makes it the current one and tells subscribers.
  ///
  /// Subscribers of failures hear of each failure once. When one of them returns a request, the sign-in goes on with that,
  /// in at most five attempts altogether; else the failure is thrown. A canceled sign-in is no failure.
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

  /// One attempt, up to the stored account.
  private func attempt(_ request: SignInRequest, _ number: Int) async -> Result<AccountChange, SignInFailure> {
    var stage: SignInFailure.Stage?
    do {
      let (tokens, claims) = try await request.flow(number)
      stage = .token
      guard let subject = claims["sub"]?.string, !subject.isEmpty else {
        throw AccountError(
          .noSubject, "the sign-in gave no claim \"sub\", without which there is no account",
          hint: "ask for the scope openid, or use the tokens without an account")
      }
      let identity = AccountIdentity(
        issuer: claims["iss"]?.string ?? "", subject: subject, accountType: request.accountType, policy: request.policy)
      let added = try await store.add(tokens, claims: claims, identity: identity, request)
      return .success(AccountChange(kind: added.isNew ? .added : .updated, account: added.account, reason: .signIn))
    } catch {
      return .failure(
        SignInFailure(
          error: error, policy: request.policy, stage: stage ?? .init(of: error), accountType: request.accountType,
          account: nil, attempt: number))
    }
  }
}
