import Glibc

/// The addresses that the internet does not route to a public server: of this machine, of local networks, and of none (RFC
/// 6890). A server on the internet that names one of them leads its clients to somebody else's services.
package enum PrivateAddress {
  /// The part of the world that an address is in.
  package enum Kind: Sendable { case machine, network, other }

  /// True if the text is such an IPv4 or IPv6 address, also in brackets; false for a public address and for a name.
  package static func contains(_ text: String) -> Bool { kind(of: text) != nil }

  /// - Returns: nil for a public address and for a name.
  package static func kind(of text: String) -> Kind? {
    let plain = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, plain, &bytes) == 1 { return kind(version4: bytes) }
    return inet_pton(AF_INET6, plain, &bytes) == 1 ? kind(version6: bytes) : nil
  }

  private static func kind(version4 address: [UInt8]) -> Kind? {
    switch (address[0], address[1]) {
    case (127, _): .machine
    case (10, _), (172, 16...31), (192, 168), (100, 64...127): .network
    case (0, _), (169, 254), (198, 18...19), (224..., _): .other
    case (192, 0): address[2] == 0 ? .other : nil
    default: nil
    }
  }

  private static func kind(version6 address: [UInt8]) -> Kind? {
    // An IPv4 address in an IPv6 one: ::ffff:10.0.0.1, 64:ff9b::10.0.0.1, ::10.0.0.1.
    let start = Array(address.prefix(12))
    let zeros = [UInt8](repeating: 0, count: 12)
    if address == zeros + [0, 0, 0, 1] { return .machine }
    if start == zeros || start == zeros.prefix(10) + [0xff, 0xff]
      || start == [0, 0x64, 0xff, 0x9b] + zeros.prefix(8)
    {
      return kind(version4: Array(address.suffix(4)))
    }
    if address[0] & 0xfe == 0xfc { return .network }
    return address[0] == 0xff || address[0] == 0xfe && address[1] & 0xc0 == 0x80 ? .other : nil
  }
}
