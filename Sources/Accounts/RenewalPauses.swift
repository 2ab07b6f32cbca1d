import HostLoop

/// How long to wait between one request for new tokens and the next. Full jitter: each pause is anywhere between
/// nothing and its limit, so that the many who met the same failure do not come back all at once.
package struct RenewalPauses: Sendable {
  /// The requests of one renewal, altogether.
  static let tries = 3
  /// A renewal holds the account's lock; it does not begin another request after so many seconds.
  static let patience = 10.0
  /// The longest `Retry-After` that is waited for with the lock held, in seconds.
  static let longestWait = 4.0
  /// The longest time for which nobody asks, whatever the provider says, in seconds.
  static let longestSilence: Int64 = 900

  /// The limit of the first pause of a renewal, in seconds; each further one is twice as long.
  var first: Double
  var random: @Sendable (ClosedRange<Double>) -> Double

  /// - Parameter first: the limit of the first pause in seconds.
  package init(
    first: Double = 0.5, random: @escaping @Sendable (ClosedRange<Double>) -> Double = { Double.random(in: $0) }
  ) {
    self.first = first
    self.random = random
  }

  /// The pause before the next request of one renewal; nil to give up.
  ///
  /// A request whose answer was lost is made once more, although the provider may have replaced the refresh token, and
  /// may take a second use of the old one for a theft and revoke the sign-in. Not to ask again loses the sign-in for
  /// certain; to ask again loses it only if the token was replaced and the provider is strict. To ask at once is best:
  /// most providers honor a replaced token for some seconds for this very case, and Azure AD B2C goes on honoring it.
  /// - Parameter elapsed: seconds since the first request began.
  func pause(after failures: [RenewalFailure], elapsed: Double) -> Double? {
    guard failures.count < Self.tries, elapsed < Self.patience else { return nil }
    let jitter = random(0...first * Double(1 << (failures.count - 1)))
    switch failures.last {
    case .again(let after):
      let wait = Wait(asked: after, least: jitter, deadline: Self.longestWait)
      return wait.fits ? wait.seconds : nil
    case .answerLost: return failures.filter { $0 == .answerLost }.count == 1 ? jitter : nil
    case .revoked, .final, nil: return nil
    }
  }

  /// The seconds after a failed renewal in which nobody asks. `failedBefore` counts the failures since a success.
  func silence(after failure: RenewalFailure, failedBefore: Int64) -> Int64 {
    let limit = 2 * Double(1 << min(max(failedBefore, 0), 5))
    var seconds = random(1...limit)
    if case .again(let after) = failure {
      seconds = max(seconds, Wait(asked: after, deadline: Double(Self.longestSilence)).seconds)
    }
    return Int64(seconds.rounded(.up))
  }
}
