/// When a task was last changed: `2016-03-01T10:20:30.000Z` and what else servers make of ISO 8601.
struct TaskDate {
  /// `2016-03-01`
  let day: String
  /// `20160301T102030Z`; nil when the time is missing, or is not in UTC.
  let compact: String?

  /// Nil for what does not begin with a day.
  init?(_ text: String?) {
    guard let text else { return nil }
    let bytes = Array(text.utf8)
    guard bytes.count >= 10, Self.isDay(bytes[..<10]) else { return nil }
    day = String(decoding: bytes[..<10], as: UTF8.self)
    compact = Self.compact(bytes)
  }

  static func isDay(_ bytes: ArraySlice<UInt8>) -> Bool { matches(bytes, "0000-00-00") }

  private static func compact(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 19, matches(bytes[10..<19], "T00:00:00") || matches(bytes[10..<19], " 00:00:00") else {
      return nil
    }
    var zone = bytes[19...]
    if zone.first == UInt8(ascii: ".") { zone = zone.dropFirst().drop { (0x30...0x39).contains($0) } }
    guard zone.isEmpty || zone.elementsEqual("Z".utf8) || zone.elementsEqual("+00:00".utf8) else { return nil }
    let digits = bytes[..<19].filter { (0x30...0x39).contains($0) }
    return String(decoding: digits[..<8] + "T".utf8 + digits[8...] + "Z".utf8, as: UTF8.self)
  }

  /// Whether `bytes` are like `pattern`, where 0 is for any digit.
  private static func matches(_ bytes: ArraySlice<UInt8>, _ pattern: String) -> Bool {
    bytes.count == pattern.utf8.count
      && zip(bytes, pattern.utf8).allSatisfy { byte, wanted in
        wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted
      }
  }
}
