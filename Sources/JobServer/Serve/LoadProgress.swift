import HostLoop
import JobConditions
import Jobs

/// Tells how far a server is that reads its jobs: in its log, in its condition, and to the manager of services, which would
/// end a service that takes long to start.
@HostActor
final class LoadProgress {
  /// The seconds between two lines.
  private static let pause = 10.0
  private let host: JobHost
  private let manager: ServiceManager
  private let tell: @HostActor (String) -> Void
  private var timer: TimerQueue.ID?
  private var told = 0

  init(_ host: JobHost, _ manager: ServiceManager, tell: @escaping @HostActor (String) -> Void) {
    self.host = host
    self.manager = manager
    self.tell = tell
    host.noteCondition()
    manager.starting()
    tellLater()
  }

  func note(_ known: Int, of count: Int) {
    // Each hundredth.
    guard known == count || known - told >= max(1, count / 100) else { return }
    told = known
    host.noteRead(known, of: count)
  }

  func end() {
    if let timer { HostLoop.shared.cancel(timer) }
    timer = nil
  }

  private func tellLater() {
    timer = HostLoop.shared.schedule(after: Self.pause) { [weak self] in
      guard let self else { return }
      manager.starting()
      tell(host.condition.text)
      tellLater()
    }
  }
}
