import Glibc

extension HostLoop {
  /// Seconds that no change of the clock affects: for durations and time limits.
  package static var uptime: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
