import Glibc
import HostLoop
import Synchronization

/// The signals of a terminal that was resized, suspended or resumed. They are reported on the host's thread.
@HostActor
final class TerminalSignals: DescriptorHandler {
  private static let numbers = [SIGWINCH, SIGTSTP, SIGCONT]
  /// The descriptor to which the handlers write; -1 for none.
  private nonisolated static let bell = Atomic<Int32>(-1)

  private let ends: (read: Int32, write: Int32)
  private let arrived: @HostActor (Int32) -> Void

  /// - Returns: nil if the system has no pipe left.
  init?(_ arrived: @escaping @HostActor (Int32) -> Void) {
    var pair: [Int32] = [-1, -1]
    guard pipe(&pair) == 0 else { return nil }
    for end in pair {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    ends = (pair[0], pair[1])
    self.arrived = arrived
    Self.bell.store(ends.write, ordering: .relaxed)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in Self.numbers {
      Self.handle(number)
      sigaddset(&signals, number)
    }
    // The parent process may have blocked the signals.
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    HostLoop.shared.watch(ends.read, for: .read, by: self)
  }

  /// Called before the object is released.
  func stop() {
    for number in Self.numbers { signal(number, SIG_DFL) }
    Self.bell.store(-1, ordering: .relaxed)
    HostLoop.shared.unwatch(ends.read)
    close(ends.read)
    close(ends.write)
  }

  /// Stops the process as Ctrl-Z does, and returns when it is resumed, or at once without a shell that could resume it.
  func stopProcess() {
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    Self.handle(SIGTSTP)
  }

  func ready(_ descriptor: Int32, for readiness: Readiness) {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return }
    for number in Set(bytes[..<count]) { arrived(Int32(number)) }
  }

  private static func handle(_ number: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      let before = errno
      var byte = UInt8(truncatingIfNeeded: number)
      let bell = TerminalSignals.bell.load(ordering: .relaxed)
      if bell >= 0 { _ = write(bell, &byte, 1) }
      errno = before
    }
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
  }
}
