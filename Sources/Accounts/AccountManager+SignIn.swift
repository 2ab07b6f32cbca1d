import HostLoop
package import JSON

/// What a sign-in is made of besides its options.
package struct SignInSteps: Sendable {
  /// Runs the flow: from the options to the token endpoint's answer. The second argument counts attempts from 1.
  package var run: @HostActor (SignInOptions, Int) async throws -> TokenGrant
  /// Validates what the flow brought and returns the claims that say who signed in, `iss` and `sub` among them.
  package var validate: @HostActor (TokenGrant, SignInOptions) async throws -> JSON
  /// Where an error thrown by `run` arose.
  package var stage: @HostActor (any Error) -> SignInFailure.Stage
  /// Told of each attempt when it is over; the stage is that of a failure.
  package var ended: @HostActor (SignInOptions, Int, Result<AccountChange, any Error>, SignInFailure.Stage?) -> Void = {
    _, _, _, _ in
  }
  /// Seconds by which this machine's clock is ahead of the provider's, by the answers of the attempt; nil while unknown.
  package var clockDifference: @HostActor () -> Double?

  package init(
    run: @escaping @HostActor (SignInOptions, Int) async throws -> TokenGrant,
    validate: @escaping @HostActor (TokenGrant, SignInOptions) async throws -> JSON,
    stage: @escaping @HostActor (any Error) -> SignInFailure.Stage = { _ in .authorize },
    clockDifference: @escaping @HostActor () -> Double? = { nil }
  ) {
    self.run = run
    self.validate = validate
    self.stage = stage
    self.clockDifference = clockDifference
  }
}

extension AccountManager {
  /// How often a sign-in may go on with the options of a failure's handler.
  package nonisolated static let maximumAttempts = 5

  /// Signs in: runs the flow, validates its result, stores the account, makes it the current one and tells subscribers.
  ///
  /// Each failure is told to the subscribers of failures once. When one of them returns options, the sign-in goes on with
  /// those, in at most five attempts altogether; else the failure is thrown. A canceled sign-in is no failure.
  package func signIn(_ options: SignInOptions, _ steps: SignInSteps) async throws -> Account {
    var options = options
    var attempt = 1
    while true {
      let failure: StagedError
      switch await run(steps, options, attempt) {
      case .success(let change):
        steps.ended(options, attempt, .success(change), nil)
        try await events.deliver(change)
        return change.account
      case .failure(let error):
        failure = error
      }
      steps.ended(options, attempt, .failure(failure.error), failure.stage)
      if failure.error is CancellationError || Task.isCancelled { throw CancellationError() }
      let answer = try await events.deliver(
        SignInFailure(
          error: failure.error, policy: options.policy, stage: failure.stage, accountType: options.accountType,
          account: nil, attempt: attempt, options: options))
      guard let answer, attempt < Self.maximumAttempts else { throw failure.error }
      options = answer
      attempt += 1
    }
  }

  private struct StagedError: Error {
    let error: any Error
    let stage: SignInFailure.Stage
  }

  /// One attempt, up to the stored account.
  private func run(
    _ steps: SignInSteps, _ options: SignInOptions, _ attempt: Int
  ) async -> Result<AccountChange, StagedError> {
    defer { compareClocks(steps.clockDifference()) }
    let grant: TokenGrant
    do { grant = try await steps.run(options, attempt) } catch {
      return .failure(StagedError(error: error, stage: steps.stage(error)))
    }
    do {
      let claims = try await steps.validate(grant, options)
      guard let subject = claims["sub"]?.string, !subject.isEmpty else {
        throw AccountError(
          .noSubject, "the sign-in gave no claim \"sub\", without which there is no account",
          hint: "ask for the scope openid, or use the tokens without an account")
      }
      let identity = AccountIdentity(
        issuer: claims["iss"]?.string ?? "", subject: subject, accountType: options.accountType,
        policy: options.policy)
      let added = try await store.add(grant, claims: claims, identity: identity, options)
      return .success(
        AccountChange(kind: added.isNew ? .added : .updated, account: added.account, reason: .signIn))
    } catch {
      return .failure(StagedError(error: error, stage: .token))
    }
  }
}
