/// Amounts as people read them.
package enum Amount {
  /// `0.4 ms`, `31 ms`, `1.24 s`, `3 min 20 s`.
  /// - Parameter microseconds: a span of time.
  package static func duration(_ microseconds: Int) -> String {
    let milliseconds = Double(microseconds) / 1000
    switch milliseconds {
    case ..<10: return "\(rounded(milliseconds, 1)) ms"
    case ..<1000: return "\(rounded(milliseconds, 0)) ms"
    case ..<10_000: return "\(rounded(milliseconds / 1000, 2)) s"
    case ..<100_000: return "\(rounded(milliseconds / 1000, 1)) s"
    default:
      let seconds = Int((milliseconds / 1000).rounded())
      return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds / 60) min \(seconds % 60) s"
    }
  }

  /// `1,034`
  package static func count(_ number: Int) -> String {
    var digits = Array(String(abs(number)))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
  }

  /// `1 request`, `1,034 requests`
  package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count(number)) \(number == 1 ? one : many ?? one + "s")"
  }

  /// With exactly so many places, at most 3.
  package static func rounded(_ value: Double, _ places: Int) -> String {
    let factor = [1.0, 10, 100, 1000][places]
    let scaled = Int((abs(value) * factor).rounded())
    let whole = "\(value < 0 && scaled > 0 ? "-" : "")\(scaled / Int(factor))"
    guard places > 0 else { return whole }
    let fraction = String(scaled % Int(factor))
    return "\(whole).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
  }

  /// "0:07", "12:34", "1:02:03"
  package static func clock(_ seconds: Double) -> String {
    let total = Int(min(seconds, 359_999).rounded(.up))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (total / 3600, total / 60 % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(total % 60))" : "\(minutes):\(two(total % 60))"
  }

  /// A short time with two figures or three: "0.35 ms", "12 ms", "1.24 s", "48.2 s".
  package static func shortTime(_ seconds: Double) -> String {
    seconds < 0.9995 ? "\(figures(seconds * 1000)) ms" : seconds < 99.95 ? "\(figures(seconds)) s" : clock(seconds)
  }

  /// Three significant figures at most, none of them below a hundredth.
  private static func figures(_ value: Double) -> String {
    rounded(max(0, value), value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
  }
}
