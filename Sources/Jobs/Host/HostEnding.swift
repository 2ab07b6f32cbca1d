import HostLoop

/// The steps of a host to its end.
@HostActor
struct HostEnding {
  enum Step: Int, Comparable {
    /// The host serves.
    case none
    /// No more runs start. The host waits for those that go on.
    case waiting
    /// The time to wait is over: the runs have been asked to end.
    case asking
    /// The runs have been killed.
    case killing

    static func < (one: Step, other: Step) -> Bool { one.rawValue < other.rawValue }
  }

  private(set) var step = Step.none
  private var idle: CancellableWait<Void>?

  var isStopping: Bool { step >= .waiting }
  var isKilling: Bool { step == .killing }

  /// There is no way back.
  mutating func reach(_ next: Step) { step = max(step, next) }

  /// The wait for the end of all processes.
  mutating func waitForIdle() -> CancellableWait<Void> {
    let wait = CancellableWait<Void>()
    idle = wait
    return wait
  }

  /// No process goes on, or nobody waits for those that do.
  func noteIdle() { idle?.finish(.success(())) }
}
