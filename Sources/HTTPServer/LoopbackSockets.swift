import Core
import Glibc

/// The listening sockets of a server: one on 127.0.0.1, and one on the same port of [::1] if this machine has IPv6. They are
/// made here to distinguish a taken port from other failures, and to know the port before the server runs.
struct LoopbackSockets {
  private enum Family: String {
    case v4 = "127.0.0.1"
    case v6 = "[::1]"
  }

  private struct Refusal: Error {
    let errno: CInt
  }

  let port: UInt16
  /// Descriptors, which the receiver closes.
  let v4: CInt
  let v6: CInt?

  static func open(port: UInt16) throws(HTTPServerError) -> LoopbackSockets {
    // A port that is free on 127.0.0.1 may be taken on [::1]. If any port will do, another one is tried.
    for _ in 1..<(port == 0 ? 16 : 1) {
      do {
        return try pair(port)
      } catch {
        guard error.kind == .portTaken else { throw error }
      }
    }
    return try pair(port)
  }

  private static func pair(_ port: UInt16) throws(HTTPServerError) -> LoopbackSockets {
    let v4: CInt
    let chosen: UInt16
    do {
      v4 = try listen(.v4, port)
      chosen = try self.port(of: v4)
    } catch { throw explain(error, .v4, port) }
    do {
      return LoopbackSockets(port: chosen, v4: v4, v6: try listen(.v6, chosen))
    } catch {
      if [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(error.errno) {
        return LoopbackSockets(port: chosen, v4: v4, v6: nil)
      }
      close(v4)
      throw explain(error, .v6, chosen)
    }
  }

  private static func listen(_ family: Family, _ port: UInt16) throws(Refusal) -> CInt {
    let domain = family == .v4 ? AF_INET : AF_INET6
    let descriptor = socket(domain, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Refusal(errno: errno) }
    var yes: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    // A port may be reused while its last connections are in TIME_WAIT, but not while another program listens on it.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
    let result: CInt
    switch family {
    case .v4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      result = withBytes(of: &address) { bind(descriptor, $0, $1) }
    case .v6:
      setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size)
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      result = withBytes(of: &address) { bind(descriptor, $0, $1) }
    }
    if result == 0, Glibc.listen(descriptor, 1024) == 0 { return descriptor }
    let refusal = Refusal(errno: errno)
    close(descriptor)
    throw refusal
  }

  /// The port that the system chose. It is at the same place in both kinds of addresses.
  private static func port(of descriptor: CInt) throws(Refusal) -> UInt16 {
    var address = sockaddr_in6()
    let result = withBytes(of: &address) { pointer, size in
      var size = size
      return getsockname(descriptor, UnsafeMutablePointer(mutating: pointer), &size)
    }
    guard result == 0 else {
      let refusal = Refusal(errno: errno)
      close(descriptor)
      throw refusal
    }
    return UInt16(bigEndian: address.sin6_port)
  }

  private static func withBytes<Address>(
    of address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }

  private static func explain(_ refusal: Refusal, _ family: Family, _ port: UInt16) -> HTTPServerError {
    switch refusal.errno {
    case EADDRINUSE:
      HTTPServerError(
        .portTaken, "port \(port) on \(family.rawValue) is taken by another program",
        hint: "choose another port, or 0 for any free one")
    case EACCES:
      HTTPServerError(
        .notPermitted, "this user may not listen on port \(port) of \(family.rawValue)",
        hint: "ports below 1024 are the system's; choose a higher one, or 0 for any free one")
    default:
      HTTPServerError(
        .startFailed,
        "cannot listen on port \(port) of \(family.rawValue): \(String(cString: strerror(refusal.errno)))")
    }
  }
}
