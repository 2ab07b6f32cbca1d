import CLinuxShims
import Glibc
package import HostLoop

/// Notices that somebody set the clock, or that the machine woke up (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
@HostActor
package final class ClockWatch: DescriptorHandler {
  private let descriptor: Int32
  private let action: @HostActor () -> Void

  /// Nil if the system has no such timer.
  package init?(_ action: @escaping @HostActor () -> Void) {
    descriptor = cevent_clock_watch()
    self.action = action
    guard descriptor >= 0 else { return nil }
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  package func close() {
    HostLoop.shared.unwatch(descriptor)
    Glibc.close(descriptor)
  }

  package func ready(_ descriptor: Int32, for readiness: Readiness) {
    cevent_clock_watch_again(descriptor)
    action()
  }
}
