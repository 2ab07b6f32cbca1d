import Core
package import HostLoop
import OAuth

/// Delivers what happens to accounts to all subscribers, once each, in the order of subscription.
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

  func call(_ body: @HostActor (Handler) async throws -> Void) async -> [any Error] {
    var errors: [any Error] = []
    for (subscription, handler) in all where subscription.isOpen {
      do { try await body(handler) } catch { errors.append(error) }
    }
    return errors
  }
}

/// An account was added, updated or removed.
package struct AccountChange: Sendable {
  package enum Kind: String, Sendable { case added, updated, removed }

  package enum Reason: String, Sendable {
    case signIn = "sign_in"
    case refresh
    case userData = "user_data"
    case signOut = "sign_out"
    /// The provider no longer honors the account's tokens.
    case revoked
  }

  package let kind: Kind
  package let account: Account
  package let reason: Reason
}

/// A sign-in, or the refresh of an account's tokens, failed.
package struct SignInFailure: Error, Sendable {
  /// How far it came.
  package enum Stage: String, Sendable {
    /// On the way to the redirect: the authorization endpoint, the sign-in page, the redirect itself.
    case authorize
    /// At the token endpoint, in the validation of the ID token, or in storing the account.
    case token
    /// Replacing the tokens of an account that was signed in.
    case refresh

    /// The stage of an error of the OAuth client, or in its details; any other error counts as before the redirect.
    package init(of error: any Error) {
      switch (error as? OAuthError)?.stage.rawValue ?? (error as? any Failure)?.details["stage"] {
      case "token", "validation": self = .token
      case "refresh": self = .refresh
      default: self = .authorize
      }
    }
  }

  package let error: any Error
  package let policy: String?
  package let stage: Stage
  package let accountType: String
  /// The account whose tokens could not be refreshed; nil in a sign-in.
  package let account: Account?
  /// Counted from 1 in one sign-in.
  package let attempt: Int
  /// The object that came with the request; nil for a refresh.
  package let caller: (any AnyObject & Sendable)?
}

/// Handlers of an event threw. The operation that caused the event was carried out all the same.
package struct HandlerFailures: Failure {
  /// In the order of subscription; never empty.
  package let errors: [any Error]
  /// The failure the handlers were told of; nil when they were told of a change.
  package let cause: (any Error)?

  package var code: String { (errors.first as? any Failure)?.code ?? "handler_failed" }
  package var hint: String? { (errors.first as? any Failure)?.hint }
  package var message: String {
    let event = cause == nil ? "on_changed" : "on_failed"
    let all = errors.map { String(describing: $0) }.joined(separator: "; ")
    let told = cause.map { "; it was called for this failure: \($0)" } ?? ""
    return "\(errors.count == 1 ? "a handler" : "\(errors.count) handlers") of \(event) failed: \(all)\(told)"
  }
}

/// This machine's clock and a provider's tell different times, by more than tokens are given.
package struct ClockSkew: Failure {
  /// Differences up to this are usual, in seconds; the validation of ID tokens lets them pass.
  package static let tolerance = 300.0

  /// Seconds by which this machine's clock is ahead; below 0 when it is behind.
  package let seconds: Double

  /// Nil for a difference that does not matter.
  package init?(seconds: Double) {
    guard seconds.magnitude > Self.tolerance, seconds.isFinite else { return nil }
    self.seconds = seconds
  }

  package var code: String { "clock_skew" }
  package var message: String {
    let minutes = Int(min(seconds.magnitude / 60, 1e9).rounded())
    let amount =
      switch minutes {
      case ..<120: "\(minutes) min"
      case ..<2880: "\(minutes / 60) h"
      default: "\(minutes / 1440) days"
      }
    return "this machine's clock is \(amount) \(seconds < 0 ? "behind" : "ahead of") the provider's; "
      + "tokens may look expired or not yet valid"
  }
  package var hint: String? { "set it right, for example with: timedatectl set-ntp true" }
}
