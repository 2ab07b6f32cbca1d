import Core

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
