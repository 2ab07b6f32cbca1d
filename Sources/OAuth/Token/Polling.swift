import HostLoop

/// Token requests until the user has answered elsewhere (RFC 8628, 3.5; CIBA Core, 11).
package struct Polling: Sendable {
  /// The seconds between two requests where the provider does not say.
  private static let usualInterval = 5
  /// The seconds by which `slow_down` lengthens the interval.
  private static let delay = 5.0

  /// The seconds between two requests: at least 1.
  package let interval: Int
  /// The seconds until the request for the user's answer expires.
  package let expiresIn: Int

  package init(interval: Int?, expiresIn: Int) {
    self.interval = max(interval ?? Self.usualInterval, 1)
    self.expiresIn = expiresIn
  }

  /// Waits and asks until the provider answers. The last request is sent when the time is over, however long the provider
  /// wants the wait before it to be. Canceling the task ends the wait.
  /// - Parameters:
  ///   - now: seconds on a monotonic clock.
  ///   - sleep: waits that many seconds.
  ///   - ask: sends one token request.
  /// - Throws: `expired_token` when nobody has answered in time; other errors of the provider as they are.
  @HostActor package func run<Answer>(
    now: @HostActor () -> Double = { HostLoop.uptime },
    sleep: @HostActor (Double) async throws -> Void = { try await HostLoop.shared.sleep(seconds: $0) },
    _ ask: @HostActor () async throws -> Answer
  ) async throws -> Answer {
    let end = now() + Double(expiresIn)
    var interval = Double(interval)
    var wait = Wait(asked: interval, deadline: end - now())
    while true {
      try await sleep(wait.seconds)
      do { return try await ask() } catch let error as OAuthError {
        let problem = error.details["error"] ?? error.code
        if problem == "slow_down" {
          interval += Self.delay
        } else if problem != "authorization_pending", !error.isRetryable {
          throw error
        }
        wait = Wait(asked: error.retryAfter, least: interval, deadline: end - now())
        if wait.isOver { throw expired }
      }
    }
  }

  private var expired: OAuthError {
    OAuthError(
      "expired_token", .token, "nobody answered the request within \(expiresIn) s",
      hint: "start again with a new request")
  }
}
