import Glibc
import HostLoop
import Lua
import LuaBindings
import Synchronization
import Terminal

/// Ctrl-C, Ctrl-\, termination, the time limit, and a closed standard output: the first one stops the script, a second one ends the process at once.
final class Interrupts: Sendable {
  /// Sent to the host's thread, where it stops a script that computes without waiting.
  static let stopSignal = SIGUSR1

  /// Sent to the process when nobody reads its standard output any more.
  private static let closedOutputSignal = SIGUSR2

  private let signals: sigset_t
  private let timeout: Double?
  private let stopped = Mutex<ExitStatus?>(nil)

  /// Why the script was stopped, if it was.
  var reason: ExitStatus? { stopped.withLock { $0 } }

  /// Takes each Ctrl-C instead, on the main thread.
  private static let taker = Mutex<(@Sendable () -> Void)?>(nil)

  /// From now on Ctrl-C stops the script that computes and calls `taker`, and does not end the process; nil: it does again.
  static func handOver(_ taker: (@Sendable () -> Void)?) { Self.taker.withLock { $0 = taker } }

  /// Blocks the signals in every thread started from now on.
  init(timeout: Double?) {
    // What has no script to stop is stopped by canceling its task alone.
    signal(Self.stopSignal, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !Self.isIgnored(number) { sigaddset(&signals, number) }
    sigaddset(&signals, Self.closedOutputSignal)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    StandardOutput.whenClosed(send: Self.closedOutputSignal)
    self.signals = signals
    self.timeout = timeout
  }

  /// Waits on the main thread for as long as the process lives. `stop` is called once.
  func wait(_ stop: () -> Void) -> Never {
    var signals = signals
    if let timeout {
      var limit = timespec(tv_sec: Int(timeout), tv_nsec: Int(timeout.truncatingRemainder(dividingBy: 1) * 1e9))
      var number: Int32
      repeat { number = sigtimedwait(&signals, nil, &limit) } while number == -1 && errno == EINTR
      request(number == -1 ? .limit : Self.reason(for: number), stop)
    } else {
      request(Self.reason(for: waitForSignal(&signals)), stop)
    }
    // A script that prints while it is being stopped meets the closed output again.
    while waitForSignal(&signals) == Self.closedOutputSignal {}
    TerminalMode.restore()
    Console.clearProgress()
    _exit(ExitStatus.interrupted.rawValue)
  }

  private func request(_ reason: ExitStatus, _ stop: () -> Void) {
    stopped.withLock { $0 = reason }
    stop()
    HostLoop.shared.send(signal: Self.stopSignal)
  }

  private func waitForSignal(_ signals: inout sigset_t) -> Int32 {
    while true {
      var number: Int32 = 0
      while sigwait(&signals, &number) != 0 {}
      guard number == SIGINT, let take = Self.taker.withLock({ $0 }) else { return number }
      HostLoop.shared.send(signal: Self.stopSignal)
      take()
    }
  }

  /// As the parent process wants it, such as nohup. A blocked signal would come all the same.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return action.__sigaction_handler.sa_handler.map { unsafeBitCast($0, to: Int.self) } == 1
  }

  private static func reason(for signal: Int32) -> ExitStatus {
    signal == closedOutputSignal ? .outputClosed : .interrupted
  }
}
