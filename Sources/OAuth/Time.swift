import Glibc

/// Seconds since 1970 by the machine's clock.
@Sendable func currentTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

extension Double {
  /// `2019-09-17T09:50:39Z`, for messages.
  var utc: String {
    var seconds = time_t(max(min(self, 253_402_300_799), -62_135_596_800))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let size = 32
    return String(unsafeUninitializedCapacity: size) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, size, "%Y-%m-%dT%H:%M:%SZ", &parts) }
    }
  }
}
