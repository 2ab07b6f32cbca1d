import CMicrohttpdShims
import Glibc

/// Breaks a connection as a crash of this machine would: by a reset, with nothing said and nothing waited for.
struct ConnectionReset {
  private let descriptor: CInt

  init(of connection: OpaquePointer) {
    descriptor = cmhd_socket(connection)
  }

  /// Linux sends a reset when a connected socket is dissolved (connect(2), `AF_UNSPEC`). The socket stays open, and
  /// libmicrohttpd's to close.
  func perform() {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNSPEC)
    connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size))
  }
}
