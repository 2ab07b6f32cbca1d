import Schedule

/// A date of a spreadsheet: days since 1899-12-30, or since 1904-01-01, with the time as a fraction (ECMA-376, part 1, 18.17.4).
enum SerialDate {
  /// The text of a day, `2026-10-01`, an instant, `2026-10-01T15:30:00`, or a time, `15:30:00`. Nil for a number that is no
  /// date: before 1900, beyond 9999, or 1900-02-29, which spreadsheets count though it never was.
  static func text(_ serial: Double, _ kind: NumberFormats.Kind, startsIn1904: Bool) -> String? {
    guard serial >= 0, serial < 2_958_466 else { return nil }
    if kind == .time, serial < 1 { return String(instant(serial, from: 0).suffix(8)) }
    var epoch = -25_569
    if startsIn1904 {
      epoch = -24_107
    } else {
      guard serial >= 1, !(60..<61).contains(serial) else { return nil }
      // Before the day that never was, the count begins one day later.
      if serial < 60 { epoch += 1 }
    }
    let text = instant(serial, from: epoch)
    return kind == .day ? String(text.prefix(10)) : text
  }

  /// - Parameter epoch: the day of the serial 0, in days since 1970-01-01.
  private static func instant(_ serial: Double, from epoch: Int) -> String {
    let time = CivilTime(seconds: Int64(epoch) * 86_400 + Int64((serial * 86_400).rounded()))
    let clock = [time.second / 3600, time.second / 60 % 60, time.second % 60].map { digits($0, 2) }
    return "\(digits(time.year, 4))-\(digits(time.month, 2))-\(digits(time.day, 2))T\(clock.joined(separator: ":"))"
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
