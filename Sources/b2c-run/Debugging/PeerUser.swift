import Files
import Glibc

/// The user of the process at the other end of a connection on this machine.
enum PeerUser {
  /// - Parameter connection: a connection of IPv4 that this process has accepted.
  /// - Returns: nil if the process has closed its end, or if the system does not tell.
  static func of(_ connection: CInt) -> uid_t? {
    guard let own = place(connection, getsockname), let peer = place(connection, getpeername),
      let table = try? FileSystem.contents(of: "/proc/net/tcp", limit: 256 << 20)
    else { return nil }
    for line in table.split(separator: UInt8(ascii: "\n")) {
      // Number, own address, other address, state, queues, timer, retransmissions, user, timeout, inode: proc_net_tcp.
      let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      // A socket that its process has closed has no user any more, and zero in that place.
      guard fields.count > 9, fields[1] == peer, fields[2] == own, fields[3] == established, fields[9] != "0" else {
        continue
      }
      return uid_t(fields[7])
    }
    return nil
  }

  private static let established = "01"

  /// An address as the table has it: `0100007F:1F90`.
  private static func place(
    _ connection: CInt, _ name: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
  ) -> String? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(connection, $0, &size) }
    }
    guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    func digits(_ number: some FixedWidthInteger & UnsignedInteger, _ count: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: count - text.count) + text
    }
    return "\(digits(address.sin_addr.s_addr, 8)):\(digits(UInt16(bigEndian: address.sin_port), 4))"
  }
}
