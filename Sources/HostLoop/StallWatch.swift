/// Tells from another thread whether the loop's thread is in the middle of one thing for too long: a job, a timer, a
/// transfer's callback. Time in which it waits for events does not count.
package struct StallWatch: Sendable {
  /// Seconds of the processor's time that one thing may take: a busy machine does not count.
  private let mostComputing: Double
  /// Seconds of the clock, for what blocks the thread.
  private let mostWaiting: Double
  private var seen: UInt64
  private var computed: Double
  private var time: Double

  package init(mostComputing: Double, mostWaiting: Double) {
    self.mostComputing = mostComputing
    self.mostWaiting = mostWaiting
    seen = HostLoop.shared.descriptors.pulse.value
    computed = HostLoop.shared.computed
    time = HostLoop.uptime
  }

  /// Looks once. The first look at something new begins its time.
  package mutating func hasStalled() -> Bool {
    let value = HostLoop.shared.descriptors.pulse.value
    let (computed, time) = (HostLoop.shared.computed, HostLoop.uptime)
    if value == seen, !Pulse.isResting(value) {
      return computed - self.computed > mostComputing || time - self.time > mostWaiting
    }
    (seen, self.computed, self.time) = (value, computed, time)
    return false
  }
}
