package import HostLoop

/// Delivers what happens to accounts to all subscribers, once each, in the order of subscription.
///
/// When a handler throws, the other handlers still hear the event: the errors come to the caller of the operation after
/// all handlers have heard it, as `HandlerFailures`. A handler may itself sign in or out; the events of that are delivered
/// inside. A subscriber that comes while an event is being delivered hears the next one; one that closes hears no more.
@HostActor
package final class AccountEvents {
  package typealias ChangeHandler = @HostActor (AccountChange) async throws -> Void
  package typealias FailureHandler = @HostActor (SignInFailure) async throws -> SignInRequest?
  package typealias SkewHandler = @HostActor (ClockSkew) -> Void

  private let changes = Subscribers<ChangeHandler>()
  private let failures = Subscribers<FailureHandler>()
  private let skews = Subscribers<SkewHandler>()

  package init() {}

  /// Calls `handler` for every account added, updated or removed, until the subscription is closed.
  package func onChanged(_ handler: @escaping ChangeHandler) -> Subscription { changes.add(handler) }

  /// Calls `handler` for every failure, until the subscription is closed. A sign-in goes on with the request that the
  /// handler returns, if any.
  package func onFailed(_ handler: @escaping FailureHandler) -> Subscription { failures.add(handler) }

  /// Calls `handler` when this machine's clock turns out to be wrong, until the subscription is closed.
  package func onClockSkew(_ handler: @escaping SkewHandler) -> Subscription { skews.add(handler) }

  func deliver(_ skew: ClockSkew) { skews.call { $0(skew) } }

  func deliver(_ change: AccountChange) async throws(HandlerFailures) {
    let errors = await changes.call { try await $0(change) }
    if !errors.isEmpty { throw HandlerFailures(errors: errors, cause: nil) }
  }

  /// - Returns: the request of the first handler that returned any.
  func deliver(_ failure: SignInFailure) async throws(HandlerFailures) -> SignInRequest? {
    var request: SignInRequest?
    let errors = await failures.call {
      let answer = try await $0(failure)
      request = request ?? answer
    }
    if !errors.isEmpty { throw HandlerFailures(errors: errors, cause: failure.error) }
    return request
  }
}

/// A handler's place among the subscribers. It lasts until `close()`, also when nobody keeps this object.
@HostActor
package final class Subscription {
  package private(set) var isOpen = true
  private let onClose: @HostActor (Subscription) -> Void

  init(onClose: @escaping @HostActor (Subscription) -> Void) { self.onClose = onClose }

  /// Ends the subscription, at once, even for an event that is being delivered. Closing twice does nothing.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    onClose(self)
  }
}

/// The handlers of one kind of event.
@HostActor
private final class Subscribers<Handler> {
  private var all: [(subscription: Subscription, handler: Handler)] = []

  func add(_ handler: Handler) -> Subscription {
    let subscription = Subscription { [weak self] closed in self?.all.removeAll { $0.subscription === closed } }
    all.append((subscription, handler))
    return subscription
  }

  func call(_ body: (Handler) -> Void) {
    for (subscription, handler) in all where subscription.isOpen { body(handler) }
  }

  /// - Returns: what handlers threw.
  func call(_ body: @HostActor (Handler) async throws -> Void) async -> [any Error] {
    var errors: [any Error] = []
    for (subscription, handler) in all where subscription.isOpen {
      do { try await body(handler) } catch { errors.append(error) }
    }
    return errors
  }
}
