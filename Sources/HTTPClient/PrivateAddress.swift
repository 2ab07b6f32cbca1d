import Glibc

/// The addresses that the internet does not route to a public server: of this machine, of local networks, and of none (RFC
/// 6890). A server on the internet that names one of them leads its clients to somebody else's services.
package enum PrivateAddress {
  /// True if the text is such an IPv4 or IPv6 address, also in brackets; false for a public address and for a name.
  package static func contains(_ text: String) -> Bool {
    let plain = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, plain, &bytes) == 1 { return isPrivate(version4: bytes) }
    return inet_pton(AF_INET6, plain, &bytes) == 1 && isPrivate(version6: bytes)
  }

  private static func isPrivate(version4 address: [UInt8]) -> Bool {
    switch (address[0], address[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19): true
    case (192, 0): address[2] == 0
    case (224..., _): true
    default: false
    }
  }

  private static func isPrivate(version6 address: [UInt8]) -> Bool {
    // An IPv4 address in an IPv6 one: ::ffff:10.0.0.1, 64:ff9b::10.0.0.1, ::10.0.0.1.
    let start = Array(address.prefix(12))
    let zeros = [UInt8](repeating: 0, count: 12)
    if start == zeros || start == zeros.prefix(10) + [0xff, 0xff]
      || start == [0, 0x64, 0xff, 0x9b] + zeros.prefix(8)
    {
      return isPrivate(version4: Array(address.suffix(4)))
    }
    let isLocal = address[0] & 0xfe == 0xfc || address[0] == 0xff
    return isLocal || address[0] == 0xfe && address[1] & 0xc0 == 0x80
  }
}
