import Core
import Files
import Glibc
package import HostLoop

/// The clocks at one moment, in milliseconds.
package struct Moment: Sendable, Equatable {
  /// Since 1970.
  package var wall: Int64
  /// Since the boot, with the time that the machine slept.
  package var sinceBoot: Int64
  /// Since the boot, without that time.
  package var awake: Int64

  package init(wall: Int64, sinceBoot: Int64, awake: Int64) {
    self.wall = wall
    self.sinceBoot = sinceBoot
    self.awake = awake
  }
}

/// The source of a job host's times.
@HostActor
package protocol JobClock: AnyObject {
  var now: Moment { get }
  /// The longest time in milliseconds that the host may wait before it looks at the clock again; nil for any time.
  var longestWait: Int64? { get }
}

/// The clocks of the machine.
package final class MachineClock: JobClock {
  /// The variable with the name of a file, for tests: so many seconds have passed beside those of the clock.
  package static let variable = "B2C_RUN_CLOCK"
  private let offsetFile: String?

  package init() { offsetFile = getenv(Self.variable).map { String(path: $0) } }

  package var now: Moment {
    let offset = offset
    return Moment(
      wall: Self.milliseconds(CLOCK_REALTIME) + offset, sinceBoot: Self.milliseconds(CLOCK_BOOTTIME) + offset,
      awake: Self.milliseconds(CLOCK_MONOTONIC) + offset)
  }

  package var longestWait: Int64? { offsetFile == nil ? nil : 50 }

  private var offset: Int64 {
    guard let offsetFile, let bytes = try? FileSystem.contents(of: offsetFile, limit: 64) else { return 0 }
    let text = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }
    return Double(text).map { Int64($0 * 1000) } ?? 0
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
