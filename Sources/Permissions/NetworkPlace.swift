import Core
import HTTPClient

/// `HOST` or `HOST:PORT` behind `--allow-net`. Without a port it stands for all of the host's.
struct NetworkPlace: Sendable, Equatable {
  /// In lower case and in ASCII, as `Origin.host`; an IPv6 address stands in brackets.
  let host: String
  let port: UInt16?

  init(_ text: String) throws(GrantError) {
    let flag = Permission.net.flag
    if text.contains("://") {
      throw GrantError(
        "\(flag): expected HOST or HOST:PORT, got the URL '\(text)'", hint: "\(flag)=\(WebAddress(text).authority)")
    }
    guard !text.contains(where: { "/@?#* \t".contains($0) }) else {
      throw GrantError(
        "\(flag): expected HOST or HOST:PORT, got '\(text)'", hint: "for example \(flag)=hooks.example.com")
    }
    var host = text.lowercased()
    var port: UInt16?
    // The colons of an IPv6 address are inside its brackets.
    let end = host.hasPrefix("[") ? host.lastIndex(of: "]") : host.startIndex
    guard let end else { throw GrantError("\(flag): expected a closing bracket in '\(text)'") }
    if let colon = host[end...].lastIndex(of: ":") {
      guard let number = UInt16(host[host.index(after: colon)...]), number > 0 else {
        throw GrantError(
          "\(flag): expected a port from 1 to 65535 after the colon in '\(text)'",
          hint: host.count(where: { $0 == ":" }) > 1 ? "write an IPv6 address in brackets: [::1]:8080" : nil)
      }
      port = number
      host = String(host[..<colon])
      guard host.hasPrefix("[") || !host.contains(":") else {
        throw GrantError("\(flag): expected HOST or HOST:PORT, got '\(text)'", hint: "\(flag)=[\(text)]")
      }
    }
    guard !host.isEmpty else { throw GrantError("\(flag): expected a host before the port in '\(text)'") }
    // As what is connected to is written.
    self.host = host.utf8.allSatisfy { $0 < 0x80 } ? host : HostEncoding.ascii(host) ?? host
    self.port = port
  }

  func includes(_ origin: Origin) -> Bool {
    // Byte by byte: letters that only look the same to people are other hosts.
    host.utf8.elementsEqual(origin.host.utf8) && (port == nil || port == origin.port)
  }
}

extension Origin {
  /// As it stands behind `--allow-net`: with the port where it is not the scheme's usual one.
  var place: String { port == (scheme == "https" ? 443 : 80) ? host : authority }
}
