import Core

/// Seconds since 1970 by the machine's clock.
@Sendable func currentTime() -> Double { UnixTime.now.seconds }

extension Double {
  /// `2019-09-17T09:50:39Z`, for messages.
  var utc: String { UnixTime(self).iso }
}
