/// A task's ID in few bytes: a length with the kind in its upper two bits, and the ID, hexadecimal digits in half as many
/// bytes.
enum PackedID {
  private static let text: UInt8 = 0 << 6
  /// An even number of lower-case hexadecimal digits.
  private static let hexadecimal: UInt8 = 1 << 6
  /// A UUID in lower case (RFC 9562).
  private static let uuid: UInt8 = 2 << 6
  /// Longer ones are cut off: an ID of that length is none that a server gives.
  private static let longest = 63
  private static let hyphens = [8, 13, 18, 23]

  static func pack(_ id: String) -> [UInt8] {
    var id = id
    return id.withUTF8 { bytes in
      if bytes.count == 36, let packed = digits(bytes, isUUID: true) { return [uuid | UInt8(packed.count)] + packed }
      if bytes.count % 2 == 0, bytes.count <= 2 * longest, let packed = digits(bytes, isUUID: false) {
        return [hexadecimal | UInt8(packed.count)] + packed
      }
      let kept = bytes.prefix(longest)
      return [text | UInt8(kept.count)] + kept
    }
  }

  /// The ID at the beginning of `bytes`, and how many bytes it takes; nil when they end before it does.
  static func unpack(_ bytes: ArraySlice<UInt8>) -> (id: String, count: Int)? {
    guard let first = bytes.first, bytes.count > Int(first & 63) else { return nil }
    let content = bytes.dropFirst().prefix(Int(first & 63))
    let count = content.count + 1
    if first & 0xc0 == text { return (String(decoding: content, as: UTF8.self), count) }
    var digits = content.flatMap { [digit($0 >> 4), digit($0 & 15)] }
    if first & 0xc0 == uuid {
      guard digits.count == 32 else { return nil }
      for place in hyphens { digits.insert(UInt8(ascii: "-"), at: place) }
    }
    return (String(decoding: digits, as: UTF8.self), count)
  }

  /// The bytes that the digits stand for; nil when there is anything else.
  private static func digits(_ bytes: UnsafeBufferPointer<UInt8>, isUUID: Bool) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count / 2)
    var upper: UInt8?
    for (place, byte) in bytes.enumerated() {
      if isUUID, hyphens.contains(place) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let value: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let high = upper {
        result.append(high << 4 | value)
        upper = nil
      } else {
        upper = value
      }
    }
    return result
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
