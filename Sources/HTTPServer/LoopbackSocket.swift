import Glibc

/// A listening socket on a loopback address for libmicrohttpd. It is made here to distinguish a taken port from other failures,
/// and to know the port before the server runs.
struct LoopbackSocket: ~Copyable {
  enum Family: String {
    case v4 = "127.0.0.1"
    case v6 = "[::1]"
  }

  struct Refusal: Error {
    let errno: CInt
  }

  private var descriptor: CInt
  let port: UInt16

  init(_ family: Family, port: UInt16) throws(Refusal) {
    let domain = family == .v4 ? AF_INET : AF_INET6
    let descriptor = socket(domain, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Refusal(errno: errno) }
    do {
      try Self.bind(descriptor, family, port)
      self.port = try Self.port(of: descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns the descriptor, which the caller closes.
  consuming func release() -> CInt {
    let released = descriptor
    descriptor = -1
    return released
  }

  private static func bind(_ descriptor: CInt, _ family: Family, _ port: UInt16) throws(Refusal) {
    var yes: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    // A port may be reused while its last connections are in TIME_WAIT, but not while another program listens on it.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
    var result: CInt
    switch family {
    case .v4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      result = withBytes(of: &address) { Glibc.bind(descriptor, $0, $1) }
    case .v6:
      setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size)
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      result = withBytes(of: &address) { Glibc.bind(descriptor, $0, $1) }
    }
    if result == 0 { result = listen(descriptor, 1024) }
    guard result == 0 else { throw Refusal(errno: errno) }
  }

  /// The port that the system chose. It is at the same place in both kinds of addresses.
  private static func port(of descriptor: CInt) throws(Refusal) -> UInt16 {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0 else { throw Refusal(errno: errno) }
    return UInt16(bigEndian: address.sin6_port)
  }

  private static func withBytes<Address>(
    of address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }
}
