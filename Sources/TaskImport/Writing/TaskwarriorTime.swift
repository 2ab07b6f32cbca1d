/// Times as Taskwarrior writes them.
enum TaskwarriorTime {
  /// `20160301T102030Z` for `2016-03-01T10:20:30.000Z` and what else servers make of ISO 8601; nil when the time is
  /// missing, or is not in UTC.
  static func compact(_ date: String) -> String? {
    let bytes = Array(date.utf8)
    guard bytes.count >= 19,
      matches(bytes[..<19], "0000-00-00T00:00:00") || matches(bytes[..<19], "0000-00-00 00:00:00")
    else { return nil }
    var zone = bytes[19...]
    if zone.first == UInt8(ascii: ".") { zone = zone.dropFirst().drop(while: isDigit) }
    guard zone.isEmpty || zone.elementsEqual("Z".utf8) || zone.elementsEqual("+00:00".utf8) else { return nil }
    let digits = bytes[..<19].filter(isDigit)
    return String(decoding: digits[..<8] + "T".utf8 + digits[8...] + "Z".utf8, as: UTF8.self)
  }

  /// Whether `bytes` are like `pattern`, where 0 is for any digit.
  private static func matches(_ bytes: ArraySlice<UInt8>, _ pattern: String) -> Bool {
    zip(bytes, pattern.utf8).allSatisfy { byte, wanted in wanted == 0x30 ? isDigit(byte) : byte == wanted }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
