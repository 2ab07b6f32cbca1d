import Glibc
import HostLoop

/// Reads a terminal whenever there is something to read.
@HostActor
final class TerminalReader: DescriptorHandler {
  private let descriptor: Int32
  private let arrived: @HostActor ([UInt8]) -> Void
  private var isStopped = false
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// - Parameter arrived: called with what was read; with nothing at the end of the input, and never again.
  init(_ descriptor: Int32, _ arrived: @escaping @HostActor ([UInt8]) -> Void) {
    self.descriptor = descriptor
    self.arrived = arrived
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  /// What is not read yet stays in the terminal. Called before this is let go of.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    HostLoop.shared.unwatch(descriptor)
  }

  func ready(_ descriptor: Int32, for readiness: Readiness) {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    if count <= 0 { stop() }
    arrived(Array(buffer.prefix(max(0, count))))
  }
}
