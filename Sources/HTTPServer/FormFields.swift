/// Decoding of `application/x-www-form-urlencoded` (WHATWG URL §5.1). The server has its own code for it, so that it does not
/// share a fault with the client that it tests.
enum FormFields {
  static func decode(_ bytes: some Collection<UInt8>) -> [(String, String)] {
    bytes.split(separator: UInt8(ascii: "&")).map { field in
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else {
        return (percentDecode(field, plusIsSpace: true), "")
      }
      return (
        percentDecode(field[..<equals], plusIsSpace: true),
        percentDecode(field[equals...].dropFirst(), plusIsSpace: true)
      )
    }
  }

  /// A `%` that is not followed by two hexadecimal digits stands for itself.
  static func percentDecode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+") where plusIsSpace:
        decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        if let high = rest.first.flatMap(hexadecimal), let low = rest.dropFirst().first.flatMap(hexadecimal) {
          decoded.append(high << 4 | low)
          rest = rest.dropFirst(2)
        } else {
          decoded.append(byte)
        }
      default:
        decoded.append(byte)
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
