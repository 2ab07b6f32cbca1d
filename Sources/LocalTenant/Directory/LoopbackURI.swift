/// Checks every redirect URI and logout URI, so that no URI can be read in two ways.
enum StrictURI {
  /// Returns true for an absolute URI of visible ASCII characters (RFC 3986 §4.3) without a fragment (RFC 6749 §3.1.2).
  /// Backslashes are refused because browsers read them as slashes, and so are other characters not allowed in URIs. A
  /// `%` must precede two hexadecimal digits.
  static func isWellFormed(_ text: String) -> Bool {
    let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    guard scheme.count < text.utf8.count, let first = scheme.first, isLetter(first),
      scheme.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) })
    else { return false }
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte > 0x20, byte < 0x7f, !"\\#\"<>^`{|}".utf8.contains(byte) else { return false }
      if byte == UInt8(ascii: "%") {
        guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy(isHexadecimal) else { return false }
      }
    }
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
}

/// An http or https URL whose host is this machine (RFC 8252 §7.3).
struct LoopbackURI {
  let scheme: Substring
  /// The host and port as written: `127.0.0.1`, `localhost` or `[::1]`, then the colon and the port, if any.
  let authority: Substring

  /// Returns nil if the text is not an http or https URL, if its host is not a loopback host, or if it has a user name.
  init?(_ text: String) {
    guard StrictURI.isWellFormed(text), let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
      return nil
    }
    scheme = text[..<colon]
    guard ["http", "https"].contains(scheme.lowercased()) else { return nil }
    authority = text[colon...].dropFirst(3).prefix { $0 != "/" && $0 != "?" }
    var host = authority
    // A colon inside brackets is part of the address.
    if let last = authority.lastIndex(of: ":"), authority[last...].allSatisfy({ $0 != "]" }) {
      let port = authority[authority.index(after: last)...]
      guard UInt16(port) != nil, port.allSatisfy(\.isNumber) else { return nil }
      host = authority[..<last]
    }
    guard ["127.0.0.1", "localhost", "[::1]"].contains(host.lowercased()) else { return nil }
  }
}
