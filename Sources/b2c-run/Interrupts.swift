import Glibc
import HostLoop
import Synchronization

/// Ctrl-C, termination and the time limit: the first one stops the script, a second one ends the process at once.
final class Interrupts: Sendable {
  /// Sent to the host's thread, where it stops a script that computes without waiting.
  static let stopSignal = SIGUSR1

  private let signals: sigset_t
  private let timeout: Double?
  private let stopped = Mutex<ExitStatus?>(nil)

  /// Why the script was stopped, if it was.
  var reason: ExitStatus? { stopped.withLock { $0 } }

  /// Blocks the signals in every thread started from now on.
  init(timeout: Double?) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    self.signals = signals
    self.timeout = timeout
  }

  /// Waits on the main thread for as long as the process lives. `stop` is called once.
  func wait(_ stop: () -> Void) -> Never {
    var signals = signals
    if let timeout {
      var limit = timespec(tv_sec: Int(timeout), tv_nsec: Int(timeout.truncatingRemainder(dividingBy: 1) * 1e9))
      while sigtimedwait(&signals, nil, &limit) == -1, errno == EINTR {}
      request(errno == EAGAIN ? .limit : .interrupted, stop)
    } else {
      waitForSignal(&signals)
      request(.interrupted, stop)
    }
    waitForSignal(&signals)
    _exit(ExitStatus.interrupted.rawValue)
  }

  private func request(_ reason: ExitStatus, _ stop: () -> Void) {
    stopped.withLock { $0 = reason }
    stop()
    HostLoop.shared.send(signal: Self.stopSignal)
  }

  private func waitForSignal(_ signals: inout sigset_t) {
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
  }
}
