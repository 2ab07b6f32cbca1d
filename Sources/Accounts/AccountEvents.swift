package import HostLoop

/// Delivers what happens to accounts to everyone who subscribed, once each, in the order of subscription.
///
/// A handler that throws keeps nobody from hearing the event: the errors come to the caller of the operation after all
/// have heard it, as `HandlerFailures`. A handler may itself sign in or out; the events of that are delivered inside.
/// Who subscribes while an event is being delivered hears the next one; who closes hears no more.
@HostActor
package final class AccountEvents {
  package typealias ChangeHandler = @HostActor (AccountChange) async throws -> Void
  package typealias FailureHandler = @HostActor (SignInFailure) async throws -> SignInOptions?
  package typealias SkewHandler = @HostActor (ClockSkew) -> Void

  private var changeHandlers: [(subscription: Subscription, handler: ChangeHandler)] = []
  private var failureHandlers: [(subscription: Subscription, handler: FailureHandler)] = []
  private var skewHandlers: [(subscription: Subscription, handler: SkewHandler)] = []

  package init() {}

  /// Calls `handler` for every account added, updated or removed, until the subscription is closed.
  package func onChanged(_ handler: @escaping ChangeHandler) -> Subscription {
    let subscription = Subscription { [weak self] closed in
      self?.changeHandlers.removeAll { $0.subscription === closed }
    }
    changeHandlers.append((subscription, handler))
    return subscription
  }

  /// Calls `handler` for every failure, until the subscription is closed. The options it returns, if any, are what a
  /// sign-in goes on with.
  package func onFailed(_ handler: @escaping FailureHandler) -> Subscription {
    let subscription = Subscription { [weak self] closed in
      self?.failureHandlers.removeAll { $0.subscription === closed }
    }
    failureHandlers.append((subscription, handler))
    return subscription
  }

  /// Calls `handler` when this machine's clock turns out to be wrong, until the subscription is closed.
  package func onClockSkew(_ handler: @escaping SkewHandler) -> Subscription {
    let subscription = Subscription { [weak self] closed in
      self?.skewHandlers.removeAll { $0.subscription === closed }
    }
    skewHandlers.append((subscription, handler))
    return subscription
  }

  func deliver(_ skew: ClockSkew) {
    for (subscription, handler) in skewHandlers where subscription.isOpen { handler(skew) }
  }

  func deliver(_ change: AccountChange) async throws(HandlerFailures) {
    var errors: [any Error] = []
    for (subscription, handler) in changeHandlers where subscription.isOpen {
      do { try await handler(change) } catch { errors.append(error) }
    }
    if !errors.isEmpty { throw HandlerFailures(errors: errors, cause: nil) }
  }

  /// - Returns: the options of the first handler that returned any.
  func deliver(_ failure: SignInFailure) async throws(HandlerFailures) -> SignInOptions? {
    var errors: [any Error] = []
    var options: SignInOptions?
    for (subscription, handler) in failureHandlers where subscription.isOpen {
      do {
        let answer = try await handler(failure)
        options = options ?? answer
      } catch { errors.append(error) }
    }
    if !errors.isEmpty { throw HandlerFailures(errors: errors, cause: failure.error) }
    return options
  }
}
