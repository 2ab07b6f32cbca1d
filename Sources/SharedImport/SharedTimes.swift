import Glibc

/// The times by which machines trust each other, in seconds.
package struct SharedTimes: Sendable {
  /// A worker without a beat for so long may have ended.
  package let lease: Double
  /// Between two beats.
  package let beat: Double
  /// Without a good beat for so long, a worker sends nothing.
  package var send: Double { lease * 2 / 3 }
  /// After the lease, so long until others take its blocks: the dead worker's last request has ended then.
  package let grace: Double
  /// So long another machine has itself seen no beat before it takes over.
  package let observation: Double

  package init(lease: Double, grace: Double, beat: Double? = nil, observation: Double? = nil) {
    self.lease = lease
    self.grace = grace
    self.beat = beat ?? lease / 3
    self.observation = observation ?? lease + grace
  }

  /// The usual lease is 30 seconds. The variable `B2C_RUN_LEASE` names another, for tests; the grace of 35 seconds, a
  /// request's time limit and 5 more, becomes as much shorter.
  package static let usual: SharedTimes = {
    guard let text = getenv("B2C_RUN_LEASE"), let lease = Double(String(cString: text)), lease > 0 else {
      return SharedTimes(lease: 30, grace: 35)
    }
    return SharedTimes(lease: lease, grace: lease * 35 / 30)
  }()

  /// Seconds since the boot, with the time that the machine slept.
  static var bootTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
