import Glibc

/// A TCP connection to this machine, for looking at the very bytes a server sends.
final class RawConnection {
  private let descriptor: CInt

  init(port: UInt16, ipv6: Bool = false) throws {
    descriptor = socket(ipv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var v4 = sockaddr_in()
    v4.sin_family = sa_family_t(AF_INET)
    v4.sin_port = port.bigEndian
    v4.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var v6 = sockaddr_in6()
    v6.sin6_family = sa_family_t(AF_INET6)
    v6.sin6_port = port.bigEndian
    v6.sin6_addr = in6addr_loopback
    let result =
      ipv6
      ? withUnsafeBytes(of: &v6) { connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, 28) }
      : withUnsafeBytes(of: &v4) { connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, 16) }
    if result != 0 { throw Refused(errno: errno) }
  }

  struct Refused: Error {
    let errno: CInt
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let sent = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      if sent <= 0 { return }
      bytes = bytes.dropFirst(sent)
    }
  }

  /// `POLLRDHUP` of poll(2), which Swift does not import.
  private var pollReadHangUp: Int16 { 0x2000 }

  /// True until the server closes the connection.
  var isOpen: Bool {
    var descriptor = pollfd(fd: descriptor, events: pollReadHangUp, revents: 0)
    return poll(&descriptor, 1, 0) == 0
  }

  /// True if the connection ended by a reset. Valid after `readToEnd`.
  private(set) var wasReset = false

  /// Everything until the server closes.
  func readToEnd() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      wasReset = count < 0 && errno == ECONNRESET
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}

/// Sends one request and gives everything that comes back.
func exchange(_ port: UInt16, _ request: String, ipv6: Bool = false) throws -> String {
  let connection = try RawConnection(port: port, ipv6: ipv6)
  connection.send(request.replacing("\n", with: "\r\n"))
  return connection.readToEnd()
}
