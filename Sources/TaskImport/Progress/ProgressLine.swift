/// The one line that shows how an import goes.
package enum ProgressLine {
  private static let shortestBar = 8
  private static let longestBar = 32
  private static let gap = "  "

  /// The line, at most `width` columns wide: what matters less is left out where there is no room.
  package static func render(_ snapshot: ProgressSnapshot, width: Int) -> String {
    let rows = "\(grouped(snapshot.settled)) \(snapshot.settled == 1 ? "row" : "rows")"
    let required = [snapshot.fraction.map(percent), rows].compactMap { $0 }
    let optional = [
      snapshot.failed > 0 ? "\(grouped(snapshot.failed)) failed" : nil,
      snapshot.rate >= 1 ? "\(grouped(Int(snapshot.rate)))/s" : nil,
      snapshot.isFinished ? "in \(duration(snapshot.seconds))" : snapshot.secondsLeft.map { "\(duration($0)) left" },
      snapshot.isFinished ? nil : "\(snapshot.inFlight) in flight",
    ].compactMap { $0 }

    var parts = required
    var room = width - columns(parts)
    let hasBar = snapshot.fraction != nil && room >= shortestBar + gap.count
    if hasBar { room -= shortestBar + gap.count }
    for part in optional where part.count + gap.count <= room {
      parts.append(part)
      room -= part.count + gap.count
    }
    if hasBar, let fraction = snapshot.fraction {
      parts.insert(bar(fraction, length: min(longestBar, shortestBar + room)), at: 0)
    }
    return String(parts.joined(separator: gap).prefix(max(0, width)))
  }

  private static func columns(_ parts: [String]) -> Int {
    parts.reduce(0) { $0 + $1.count } + gap.count * (parts.count - 1)
  }

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
  package static func grouped(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// "0:07", "12:34", "1:02:03"
  static func duration(_ seconds: Double) -> String {
    let total = Int(min(seconds, 359_999).rounded(.up))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (total / 3600, total / 60 % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(total % 60))" : "\(minutes):\(two(total % 60))"
  }
}
