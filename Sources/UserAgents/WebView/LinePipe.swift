import Glibc
import HostLoop

/// Lines to and from a program, over a pair of sockets that nobody else has.
@HostActor
final class LinePipe: DescriptorHandler {
  /// Longer ones, and more of them than somebody reads, break the pipe: what is on the other side draws pages from anywhere.
  static let longestLine = 4 << 20
  static let mostUnread = 256

  private var descriptor: Int32
  private var bytes: [UInt8] = []
  private var lines: [[UInt8]] = []
  private var unsent: [UInt8] = []
  private var isOver = false
  private var waiting: CancellableWait<[UInt8]?>?

  /// - Parameter descriptor: a stream socket, which is closed with this pipe.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    HostLoop.shared.watch(descriptor, for: .read, by: self)
  }

  /// The next line, without its end; nil when the other side is gone.
  func next() async throws -> [UInt8]? {
    if !lines.isEmpty { return lines.removeFirst() }
    if isOver { return nil }
    let wait = CancellableWait<[UInt8]?>()
    waiting = wait
    return try await wait.value()
  }

  /// Sends a line, in its own time.
  func send(_ line: String) {
    guard !isOver else { return }
    unsent += Array(line.utf8) + [UInt8(ascii: "\n")]
    flush()
  }

  /// Which the other side notices.
  func close() {
    end()
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  func ready(_ descriptor: Int32, for readiness: Readiness) {
    if readiness.contains(.write) { flush() }
    guard !isOver, !readiness.isDisjoint(with: [.read, .failure]) else { return }
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return end() }
    take(buffer.prefix(count))
  }

  private func take(_ new: ArraySlice<UInt8>) {
    var rest = new
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(bytes + rest[..<end])
      bytes.removeAll()
      rest = rest[(end + 1)...]
    }
    bytes += rest
    if let waiting, !lines.isEmpty {
      self.waiting = nil
      waiting.finish(.success(lines.removeFirst()))
    }
    if bytes.count > Self.longestLine || lines.count > Self.mostUnread { end() }
  }

  private func flush() {
    while !unsent.isEmpty {
      let count = Glibc.send(descriptor, unsent, unsent.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      guard count > 0 else { return end() }
      unsent.removeFirst(count)
    }
    HostLoop.shared.watch(descriptor, for: unsent.isEmpty ? .read : [.read, .write], by: self)
  }

  private func end() {
    guard !isOver else { return }
    isOver = true
    HostLoop.shared.unwatch(descriptor)
    waiting?.finish(.success(nil))
    waiting = nil
  }
}
