import Synchronization

/// The time of a simulation in place of that of the machine: it stands still while the loop's thread has something to do, and
/// then jumps to the next timer. A process that simulates never returns to the time of the machine.
enum SimulatedTime {
  /// The bits of the seconds; 0 for the time of the machine.
  private static let bits = Atomic<UInt64>(0)

  /// Seconds; nil for the time of the machine.
  @inline(__always) static var now: Double? {
    let bits = bits.load(ordering: .relaxed)
    return bits == 0 ? nil : Double(bitPattern: bits)
  }

  static func set(_ seconds: Double) { bits.store(seconds.bitPattern, ordering: .relaxed) }
}

extension HostLoop {
  /// From now on `uptime` begins at `seconds`, and timers come as soon as nothing else is to do. Each run of a simulation begins
  /// at the same time: sums of other times would be rounded in other ways.
  @HostActor package static func simulateTime(from seconds: Double = 1000) { SimulatedTime.set(seconds) }

  /// True if the time of the loop is a simulated one.
  package static var isSimulated: Bool { SimulatedTime.now != nil }
}
