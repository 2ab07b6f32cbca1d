/// Lengths of time as people write them: `15m`, `1h30m`, `250ms`.
package enum Interval {
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// The milliseconds of a text such as `1h30m`. Throws for another text, and for more than a hundred years.
  package static func milliseconds(of text: String) throws(ScheduleError) -> Int64 {
    var sum: Int64 = 0
    var rest = Substring(text)
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      let name = rest.dropFirst(digits.count).prefix { $0.isLetter }
      guard let number = Int64(digits), number < 1_000_000_000_000,
        let unit = units.first(where: { $0.name == name })
      else { throw wrong(text) }
      let (part, overflows) = number.multipliedReportingOverflow(by: unit.milliseconds)
      guard !overflows, part <= longest, sum + part <= longest else {
        throw ScheduleError("\"\(text)\" is longer than a hundred years")
      }
      sum += part
      rest = rest.dropFirst(digits.count + name.count)
    }
    guard !text.isEmpty else { throw wrong(text) }
    return sum
  }

  private static let longest: Int64 = 100 * 366 * 86_400_000

  private static func wrong(_ text: String) -> ScheduleError {
    ScheduleError(
      "expected a length of time such as \"15m\" or \"1h30m\", got \"\(text)\"",
      hint: "the units are ms, s, m (minutes), h, d and w")
  }

  /// The shortest text of a length of time.
  package static func text(of milliseconds: Int64) -> String {
    var rest = milliseconds
    var text = ""
    for unit in units where rest >= unit.milliseconds {
      text += "\(rest / unit.milliseconds)\(unit.name)"
      rest %= unit.milliseconds
    }
    return text.isEmpty ? "0s" : text
  }
}
