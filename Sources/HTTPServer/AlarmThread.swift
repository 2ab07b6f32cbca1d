import Glibc
import HostLoop

/// A thread that sleeps until a time or a ring. Swift's pool cannot do this: it may be full of work that waits for this server.
final class AlarmThread: Sendable {
  typealias Action = @Sendable () -> ContinuousClock.Instant?

  private let bell: CInt
  private let thread: pthread_t

  /// Nil if the system has no thread or descriptor left. `action` returns the time of its next call.
  init?(action: @escaping Action) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let heard = ends[0]
    guard let thread = SystemThread.start(isDetached: false, { Self.run(action, heard) }) else {
      for end in ends { close(end) }
      return nil
    }
    bell = ends[1]
    self.thread = thread
  }

  /// Makes the thread call its action. A full pipe rings as well as one more byte.
  func ring() {
    var byte: UInt8 = 0
    _ = write(bell, &byte, 1)
  }

  /// Ends the thread and waits for it. Called once, as the last call.
  func stop() {
    close(bell)
    pthread_join(thread, nil)
  }

  private static func run(_ action: Action, _ bell: CInt) {
    defer { close(bell) }
    var rings = [UInt8](repeating: 0, count: 512)
    while true {
      var timeout: CInt = -1
      if let next = action() {
        let left = (next - .now).components
        // Rounded up, and at most a minute.
        timeout = CInt(min(60_000, max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)))
      }
      var descriptor = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, timeout) > 0 else { continue }
      // Zero bytes mean that the other end was closed.
      if read(bell, &rings, rings.count) == 0 { return }
    }
  }
}
