/// Times as the store has them, in milliseconds since 1970.
enum StoredTime {
  /// The end of the year 9999.
  static let latest: Int64 = 253_402_300_799_999

  /// The time that can be stored, and is next to `given`.
  static func time(_ given: Int64) -> Int64 { min(max(0, given), latest) }

  /// The same for a number of seconds, which may be any.
  static func time(seconds: Double) -> Int64 { seconds > 0 ? Int64(min(seconds * 1000, Double(latest))) : 0 }
}
