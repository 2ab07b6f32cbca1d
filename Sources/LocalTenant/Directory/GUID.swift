import Core
import Crypto

enum GUID {
  /// A random UUID (RFC 9562 §5.4) in lower case.
  static func random() -> String { SecureRandom.bytes(16).uuid(version: 4) }
}

extension String {
  /// The text without spaces at both ends. A pasted name often has such spaces.
  var trimmingSpaces: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
