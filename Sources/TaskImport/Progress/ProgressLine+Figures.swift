import PageStyle

extension ProgressLine {
  /// A bar of `length` columns, filled as far as `fraction` says.
  package static func bar(_ fraction: Double, length: Int) -> String {
    let full = Int((fraction * Double(length)).rounded(.down))
    return String(repeating: "█", count: full) + String(repeating: "░", count: length - full)
  }

  /// Always four columns, so that the rest stands still.
  package static func percent(_ fraction: Double) -> String {
    let text = String(Int((fraction * 100).rounded(.down)))
    return String(repeating: " ", count: 3 - text.count) + text + "%"
  }

  /// 1234567 as "1,234,567".
  package static func grouped(_ number: Int) -> String { Amount.count(number) }

  /// "0:07", "12:34", "1:02:03"
  static func duration(_ seconds: Double) -> String {
    let total = Int(min(seconds, 359_999).rounded(.up))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (total / 3600, total / 60 % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(total % 60))" : "\(minutes):\(two(total % 60))"
  }

  /// A short time with two figures or three: "0.35 ms", "12 ms", "1.24 s", "48.2 s".
  static func shortTime(_ seconds: Double) -> String {
    seconds < 0.9995 ? "\(figures(seconds * 1000)) ms" : seconds < 99.95 ? "\(figures(seconds)) s" : duration(seconds)
  }

  /// Three significant figures at most, none of them below a hundredth.
  private static func figures(_ value: Double) -> String {
    let value = max(0, value)
    let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    let scale = [1.0, 10, 100][digits]
    let scaled = Int((value * scale).rounded())
    guard digits > 0 else { return grouped(scaled) }
    let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int(scale))
    return "\(whole).\(String(repeating: "0", count: digits - String(part).count))\(part)"
  }
}
