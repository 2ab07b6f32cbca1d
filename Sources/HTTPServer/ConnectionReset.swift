import CMicrohttpdShims
import Glibc

/// A break of a connection by a reset, as after a crash of this machine.
struct ConnectionReset {
  private let descriptor: CInt

  init(of connection: OpaquePointer) {
    descriptor = cmhd_socket(connection)
  }

  /// Linux sends a reset when a connected socket is dissolved (connect(2), `AF_UNSPEC`). The socket stays open until
  /// libmicrohttpd closes it.
  func perform() {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNSPEC)
    connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size))
  }
}
