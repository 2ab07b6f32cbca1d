import Core
import Glibc
package import HostLoop
package import JSON

/// A connection between a job host and the process of a run: JSON messages, a line each.
package final class MessagePipe: DescriptorHandler {
  /// The most bytes of a message.
  private static let longest = 64 << 20

  private let descriptor: Int32
  private var incoming: [UInt8] = []
  private var outgoing: ArraySlice<UInt8> = []
  private var isOpen = true
  private let onMessage: @HostActor (JSON) -> Void
  private let onEnd: @HostActor () -> Void

  /// Owns the descriptor, which is a socket. `onEnd` is called once, when the other side is gone.
  package init(
    _ descriptor: Int32, onMessage: @escaping @HostActor (JSON) -> Void, onEnd: @escaping @HostActor () -> Void = {}
  ) {
    self.descriptor = descriptor
    self.onMessage = onMessage
    self.onEnd = onEnd
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  package func send(_ message: JSON) {
    guard isOpen else { return }
    outgoing += message.encoded().utf8
    outgoing.append(UInt8(ascii: "\n"))
    write()
  }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    HostLoop.shared.unwatch(descriptor)
    Glibc.close(descriptor)
  }

  /// Reads what is still there, and closes.
  func finish() {
    while isOpen, read() {}
    close()
  }

  package func ready(_ descriptor: Int32, for readiness: Readiness) {
    if readiness.contains(.write) { write() }
    guard isOpen, readiness.contains(.read) || readiness.contains(.failure) else { return }
    _ = read()
  }

  /// Returns whether there was something.
  private func read() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    guard count > 0, incoming.count < Self.longest else {
      close()
      onEnd()
      return false
    }
    incoming += bytes[..<count]
    while let end = incoming.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(incoming[..<end])
      incoming.removeSubrange(...end)
      if let message = try? JSON(parsing: line) { onMessage(message) }
    }
    return true
  }

  private func write() {
    while !outgoing.isEmpty {
      let count = outgoing.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(bitPattern: UInt32(MSG_NOSIGNAL)))
      }
      if count < 0 {
        // Without a reader there is nobody to tell; the end of the pipe is noticed by reading.
        if errno != EAGAIN, errno != EINTR { outgoing = [] }
        break
      }
      outgoing = outgoing.dropFirst(count)
    }
    HostLoop.shared.watch(descriptor, for: outgoing.isEmpty ? .read : [.read, .write], by: self)
  }
}
