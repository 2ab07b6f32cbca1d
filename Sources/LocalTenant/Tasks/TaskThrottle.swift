import HTTPServer

/// The rate limit of the task API, a token bucket like restify's: a number of requests per second, with a burst of
/// twice as many.
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

  /// Returns the response to a request above the limit, or nil if the request may pass.
  func refusal() -> ServerResponse? {
    guard let limit = behavior.taskRate else { return nil }
    let now = clock.elapsed
    if limit != rate { (rate, left, filled) = (limit, 2 * limit, now) }
    // Negative times count as zero. Otherwise a clock that was set back would block the API until the old time returns.
    left = min(2 * rate, left + rate * min(2, max(0, now - filled)))
    filled = now
    guard left == 0 else {
      left -= 1
      return nil
    }
    return .error(429, "TooManyRequests", "You have exceeded your request rate of \(rate) r/s.")
  }
}
