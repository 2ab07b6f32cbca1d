import Core
import Glibc

/// An address to listen on, as a person writes it: `8080`, `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:443`, `localhost:0`.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
  package let host: String
  /// 0 for a port that the system chooses.
  package let port: UInt16

  /// Without a host, the address is on loopback. Throws `bad_address`.
  package init(parsing text: String) throws(HTTPServerError) {
    let expected = HTTPServerError(
      .badAddress, "expected an address such as 127.0.0.1:8080, got '\(text)'",
      hint: "a port alone is one of this machine; an IPv6 address stands in brackets: [::1]:8080")
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { String(text[text.index(after: $0)...]) } ?? text
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      throw expected
    }
    self.port = port
    var host = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      throw expected
    }
    guard !host.isEmpty else { throw expected }
    self.host = host
  }

  /// The address of a socket that listens; nil for a socket that is not one of the Internet.
  package init?(of descriptor: CInt) {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var name = [CChar](repeating: 0, count: 64)
    let isKnown = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size) == 0 && [AF_INET, AF_INET6].contains(CInt($0.pointee.sa_family))
          && getnameinfo($0, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
      }
    }
    guard isKnown else { return nil }
    host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    port = Self.port(of: descriptor)
  }

  /// True for 127.0.0.0/8, ::1 and localhost.
  package var isLoopback: Bool {
    var v4 = in_addr()
    if inet_pton(AF_INET, host, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
    var v6 = in6_addr()
    if inet_pton(AF_INET6, host, &v6) == 1 {
      return withUnsafeBytes(of: &v6) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }
    return host == "localhost"
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// A socket that listens. Returns its descriptor and its port.
  package func listen() throws(HTTPServerError) -> (descriptor: CInt, port: UInt16) {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    let problem = getaddrinfo(host, String(port), &hints, &found)
    guard problem == 0, let first = found else {
      throw HTTPServerError(
        .badAddress, "cannot find the address \(host): \(String(cString: gai_strerror(problem)))")
    }
    defer { freeaddrinfo(found) }
    let descriptor = socket(first.pointee.ai_family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure(errno) }
    var yes: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0, Glibc.listen(descriptor, 1024) == 0
    else {
      let number = errno
      close(descriptor)
      throw failure(number)
    }
    return (descriptor, Self.port(of: descriptor))
  }

  /// The port of a socket; 0 for a socket that is not one of the Internet.
  static func port(of descriptor: CInt) -> UInt16 {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    let isInternet = [AF_INET, AF_INET6].contains(CInt(address.sin6_family))
    return result == 0 && isInternet ? UInt16(bigEndian: address.sin6_port) : 0
  }

  private func failure(_ number: CInt) -> HTTPServerError {
    switch number {
    case EADDRINUSE:
      HTTPServerError(
        .portTaken, "port \(port) of \(host) is taken by another program",
        hint: "choose another port, or 0 for any free one")
    case EACCES:
      HTTPServerError(
        .notPermitted, "this user may not listen on port \(port) of \(host)",
        hint: "ports below 1024 are the system's; choose a higher one, or use socket activation of systemd")
    default:
      HTTPServerError(
        .startFailed, "cannot listen on \(self): \(String(cString: strerror(number)))")
    }
  }
}

/// The socket of a server. On an address of other machines, it is never without TLS, unless a proxy has the TLS.
package enum Listener: Sendable {
  /// Only for this machine. Throws `bad_address` for another address.
  case loopback(ListenAddress)
  case secure(ListenAddress, TLSIdentity)
  case behindProxy(ListenAddress)
  /// A socket that listens already, such as one of systemd.
  case descriptor(CInt, TLSIdentity?)

  /// True if it serves https itself.
  package var isSecure: Bool {
    switch self {
    case .secure: true
    case .descriptor(_, let identity): identity != nil
    case .loopback, .behindProxy: false
    }
  }
}
