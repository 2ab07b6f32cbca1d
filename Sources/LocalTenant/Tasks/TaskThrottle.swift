import HTTPServer
import JSON

/// A token bucket before the task API, of restify's making: so many requests a second, and twice as many at once.
final class TaskThrottle {
  private let clock: TenantClock
  private let behavior: TenantBehavior
  private var rate = 0
  private var left = 0
  private var filled = 0

  init(_ clock: TenantClock, _ behavior: TenantBehavior) {
    self.clock = clock
    self.behavior = behavior
  }

  /// The answer to a request that is one too many; nil for one that may pass.
  func refusal() -> ServerResponse? {
    guard let limit = behavior.taskRate else { return nil }
    let now = clock.elapsed
    if limit != rate {
      (rate, left, filled) = (limit, 2 * limit, now)
    }
    // A clock that was set back must not close the API until it has caught up.
    left = min(2 * rate, left + rate * min(2, max(0, now - filled)))
    filled = now
    guard left == 0 else {
      left -= 1
      return nil
    }
    return .json(
      429,
      ["code": "TooManyRequests", "message": .string("You have exceeded your request rate of \(rate) r/s.")])
  }
}
