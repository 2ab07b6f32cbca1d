import Glibc

/// Waits on a pipe that `wake()` writes to.
final class PipePoller: Poller {
  private let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("cannot make a pipe: errno \(errno)") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func poll(milliseconds: Int32?) {
    var descriptor = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    _ = Glibc.poll(&descriptor, 1, milliseconds ?? -1)
    var buffer: (UInt64, UInt64) = (0, 0)
    // One read suffices: what is left in the pipe only makes the next poll return early.
    _ = read(readEnd, &buffer, 16)
  }

  func wake() {
    var byte: UInt8 = 1
    // A full pipe refuses the byte; it then already holds a wake-up.
    _ = write(writeEnd, &byte, 1)
  }
}
