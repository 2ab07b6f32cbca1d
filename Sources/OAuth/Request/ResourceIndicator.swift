/// The names of APIs that a client asks tokens for (RFC 8707, 2).
package enum ResourceIndicator {
  /// True for an absolute URI without a fragment (RFC 3986, 4.3), which is the form of a name.
  package static func isWellFormed(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon != text.startIndex else { return false }
    let scheme = text[..<colon]
    let hasScheme =
      scheme.first?.isLetter == true
      && scheme.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
      }
    let rest = text[text.utf8.index(after: colon)...]
    return hasScheme && !rest.isEmpty && rest != "//"
      && rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"#\\\"<>^`{|}".utf8.contains($0) }
  }
}
