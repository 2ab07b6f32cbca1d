import CMicrohttpdShims
import Glibc

/// A body that breaks off halfway: its announced length is larger than its bytes.
final class TruncatedBody {
  private let delivered: [UInt8]
  private let announced: Int
  private let resetSocket: CInt?

  /// - Parameter resetSocket: the socket to reset at the break; nil to close the connection.
  init(_ body: [UInt8], resetSocket: CInt?) {
    self.resetSocket = resetSocket
    delivered = Array(body.prefix(body.count / 2))
    announced = max(1, body.count)
  }

  /// The response owns this object.
  func makeResponse() -> OpaquePointer? {
    cmhd_create_response_from_callback(
      UInt64(announced), 4096,
      { context, position, buffer, capacity in
        guard let context, let buffer else { return -2 }
        return Unmanaged<TruncatedBody>.fromOpaque(context).takeUnretainedValue()
          .read(from: Int(position), into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
      },
      Unmanaged.passRetained(self).toOpaque(),
      { context in
        if let context { Unmanaged<TruncatedBody>.fromOpaque(context).release() }
      })
  }

  /// −2 is `MHD_CONTENT_READER_END_WITH_ERROR`, a cast in a macro that Swift does not import: the connection is closed.
  private func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard position < delivered.count else {
      if let resetSocket { Self.reset(resetSocket) }
      return -2
    }
    let piece = delivered[position...].prefix(buffer.count)
    buffer.copyBytes(from: piece)
    return piece.count
  }

  /// Breaks a connection by a reset, as after a crash of this machine. Linux sends a reset when a connected socket is
  /// dissolved (connect(2), `AF_UNSPEC`). The socket stays open until libmicrohttpd closes it.
  static func reset(_ socket: CInt) {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNSPEC)
    connect(socket, &address, socklen_t(MemoryLayout<sockaddr>.size))
  }
}
