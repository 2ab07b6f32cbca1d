import JOSE

enum GUID {
  /// A random UUID (RFC 9562 §5.4) in lower case.
  static func random() -> String {
    var bytes = SecureRandom.bytes(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
    }
    return text
  }
}

extension String {
  /// Without spaces at both ends, which come along when a name is pasted.
  var trimmingSpaces: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
