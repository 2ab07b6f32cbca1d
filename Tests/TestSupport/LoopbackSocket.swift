import Glibc

/// TCP sockets of 127.0.0.1, which programs that a test starts do not get.
package enum LoopbackSocket {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - backlog: the most connections that wait; nil for a socket that does not listen, and keeps others from the port.
  package static func bound(to port: UInt16 = 0, backlog: Int32? = nil) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && backlog.map { listen(descriptor, $0) == 0 } != false
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else {
      let number = errno
      close(descriptor)
      throw Failure(description: "no port \(port): \(String(cString: strerror(number)))")
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }
}
