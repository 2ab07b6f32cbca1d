import Glibc
import HostLoop

@HostActor
final class TerminalReader: DescriptorHandler {
  private let descriptor: Int32
  private let arrived: @HostActor ([UInt8]) -> Void
  private var isStopped = false
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// - Parameter arrived: called with the bytes; at the end of the input called a last time without bytes.
  init(_ descriptor: Int32, _ arrived: @escaping @HostActor ([UInt8]) -> Void) {
    self.descriptor = descriptor
    self.arrived = arrived
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  /// Stops reading. Unread bytes stay in the terminal. Called before the object is released.
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
