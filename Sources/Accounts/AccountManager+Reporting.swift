import Core
import HostLoop

extension AccountManager {
  /// Tells subscribers of a renewal that failed. What only a sign-in can mend is told once, however often the token is
  /// asked for.
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
        attempt: 1)
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
