import Core
import Glibc
import HostLoop

/// The hosts of the variable `NO_PROXY` or `no_proxy`, which need no proxy. Commas or spaces stand between the entries.
package struct NoProxy: Sendable {
  private enum Entry {
    /// `*`
    case all
    /// `example.com` and `.example.com`: the host and the hosts below it.
    case domain(String, port: UInt16?)
    /// `*.example.com`: the hosts below it alone.
    case below(String, port: UInt16?)
    /// `10.1.2.3`, `10.0.0.0/8`, `2001:db8::1`, `[2001:db8::1]:8080`, `2001:db8::/32`.
    case network([UInt8], bits: Int, port: UInt16?)
  }

  private let entries: [Entry]

  package init(_ text: String) {
    entries = text.split { $0 == "," || $0.isWhitespace }.compactMap(Self.entry)
  }

  /// The list of the environment, in which the name in lower case has priority, as everywhere else.
  static var current: NoProxy {
    let text = (getenv("no_proxy") ?? getenv("NO_PROXY")).map { String(cString: $0) } ?? ""
    return known.withLock { known in
      if known.text != text { known = (text, NoProxy(text)) }
      return known.list
    }
  }

  private static let known = Locked((text: "", list: NoProxy("")))

  /// True if requests to the origin go to it without a proxy.
  package func contains(_ origin: Origin) -> Bool {
    let address = Self.address(origin.host[...])
    let host = Self.name(origin.host[...])
    return entries.contains { entry in
      switch entry {
      case .all: true
      case .domain(let name, let port):
        port ?? origin.port == origin.port && (host == name || host.hasSuffix("." + name))
      case .below(let name, let port): port ?? origin.port == origin.port && host.hasSuffix("." + name)
      case .network(let network, let bits, let port):
        port ?? origin.port == origin.port && address.map { Self.agree($0, network, bits) } ?? false
      }
    }
  }

  private static func entry(_ text: Substring) -> Entry? {
    if text == "*" { return .all }
    var host = text
    var port: UInt16?
    // An IPv6 address without brackets has colons, and no port.
    let colons = text.count { $0 == ":" }
    if text.hasPrefix("[") ? text.contains("]:") : colons == 1, let colon = text.lastIndex(of: ":") {
      guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
      (host, port) = (text[..<colon], number)
    }
    let parts = host.split(separator: "/", omittingEmptySubsequences: false)
    if let address = address(parts.first ?? "") {
      guard parts.count > 1 else { return .network(address, bits: address.count * 8, port: port) }
      guard parts.count == 2, let bits = Int(parts[1]), 0...address.count * 8 ~= bits else { return nil }
      return .network(address, bits: bits, port: port)
    }
    guard parts.count == 1 else { return nil }
    let isBelow = host.hasPrefix("*.")
    let name = name(isBelow ? host.dropFirst(2) : host.hasPrefix(".") ? host.dropFirst() : host)
    guard !name.isEmpty else { return nil }
    return isBelow ? .below(name, port: port) : .domain(name, port: port)
  }

  /// A host as requests write it: in lower case and in ASCII, without a dot at the end.
  private static func name(_ text: Substring) -> String {
    let host = Origin("http://\(text)/")?.host ?? text.lowercased()
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// The bytes of an IPv4 or IPv6 address, also in brackets; nil for a name.
  private static func address(_ text: Substring) -> [UInt8]? {
    let plain = String(text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text)
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, plain, &bytes) == 1 { return Array(bytes.prefix(4)) }
    return inet_pton(AF_INET6, plain, &bytes) == 1 ? bytes : nil
  }

  private static func agree(_ one: [UInt8], _ other: [UInt8], _ bits: Int) -> Bool {
    guard one.count == other.count else { return false }
    let whole = bits / 8
    guard one.prefix(whole) == other.prefix(whole) else { return false }
    return bits % 8 == 0 || (one[whole] ^ other[whole]) >> (8 - bits % 8) == 0
  }
}
