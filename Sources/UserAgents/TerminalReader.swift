import Glibc

/// Reads a terminal on a thread of its own, which can be stopped while it waits.
final class TerminalReader: Sendable {
  private let descriptor: Int32
  private let stopEnd: Int32
  private let waitEnd: Int32
  private let arrived: @Sendable ([UInt8]) -> Void

  /// - Parameter arrived: called on that thread with what was read; with nothing at the end of the input, and never again.
  init(_ descriptor: Int32, _ arrived: @escaping @Sendable ([UInt8]) -> Void) throws(UserAgentError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw UserAgentError(.noInput, "the terminal cannot be read: \(String(cString: strerror(errno)))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (waitEnd, stopEnd) = (ends[0], ends[1])
    self.descriptor = descriptor
    self.arrived = arrived
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let failure = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<TerminalReader>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard failure == 0 else {
      context.release()
      throw UserAgentError(.noInput, "the terminal cannot be read: \(String(cString: strerror(failure)))")
    }
    pthread_detach(thread)
  }

  deinit {
    close(waitEnd)
    close(stopEnd)
  }

  /// Ends the thread. What is not read yet stays in the terminal.
  func stop() {
    var byte: UInt8 = 0
    _ = write(stopEnd, &byte, 1)
  }

  private func run() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var descriptors = [
        pollfd(fd: waitEnd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&descriptors, 2, -1) > 0 else { if errno == EINTR { continue } else { return arrived([]) } }
      guard descriptors[0].revents == 0 else { return }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      arrived(Array(buffer.prefix(max(0, count))))
      if count <= 0 { return }
    }
  }
}
