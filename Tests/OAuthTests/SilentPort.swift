import Glibc

/// A port of this machine without a listener. While this object lives, no other process can listen on the port.
final class SilentPort {
  let number: UInt16
  private let socket: Int32

  init() {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (bound, asked) = withUnsafeMutablePointer(to: &address) { [socket] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        (bind(socket, address, length), getsockname(socket, address, &length))
      }
    }
    precondition(bound == 0 && asked == 0, "no port: \(String(cString: strerror(errno)))")
    number = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(socket) }
}
