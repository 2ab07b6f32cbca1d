import Core
import JOSE

enum GUID {
  /// A random UUID (RFC 9562 §5.4) in lower case.
  static func random() -> String { SecureRandom.bytes(16).uuid(version: 4) }
}

extension String {
  /// Without spaces at both ends, which come along when a name is pasted.
  var trimmingSpaces: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
