import Core
import HTTPClient
import HostLoop

/// The clock of this machine, compared with the provider's by the dates of answers.
@HostActor
final class ClockComparison {
  /// Answers are on their way for a while, and tell whole seconds.
  nonisolated private static let tolerance = 30.0

  /// Seconds by which this machine's clock is ahead of the provider's; below 0 when it is behind; nil while unknown.
  private(set) var difference: Double?

  nonisolated init() {}

  func note(_ response: HTTPResponse, at now: Double) {
    if let date = response.date { difference = now - date }
  }

  /// "this machine's clock is 12 min behind the provider's"; nil when the clocks agree.
  nonisolated static func sentence(difference: Double) -> String? {
    guard abs(difference) > tolerance else { return nil }
    let seconds = abs(difference)
    let amount = seconds < 90 ? "\(Int(seconds)) s" : "\(Int(min(seconds / 60, 1e9).rounded())) min"
    return "this machine's clock is \(amount) \(difference < 0 ? "behind" : "ahead of") the provider's"
  }
}

/// Seconds since 1970.
@Sendable package func currentTime() -> Double { UnixTime.now.seconds }

extension Double {
  /// `2019-09-17T09:50:39Z`, for messages.
  var utc: String { UnixTime(self).iso }
}
