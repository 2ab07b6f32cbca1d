import Core
package import ImportEngine
import Pages

/// The one line that shows how an import goes.
package enum ProgressLine {
  private static let shortestBar = 8
  private static let longestBar = 32
  private static let gap = "  "

  /// The line, at most `width` columns wide. Without room, less important parts are left out; a figure is never cut.
  /// - Parameter hasBar: false in a file, which needs no picture.
  package static func render(_ snapshot: ProgressSnapshot, width: Int, hasBar: Bool = true) -> String {
    var line = LineParts(width: width, gap: gap)
    let rows = Amount.count(snapshot.settled, "row")
    if !line.add([snapshot.fraction.map(percent), rows].compactMap { $0 }) {
      _ =
        line.add([rows]) || line.add([Amount.count(snapshot.settled)])
        || line.add([snapshot.fraction.map(percent) ?? ""])
    }
    let state = state(snapshot)
    if let short = state.last, !state.contains(where: { line.add([$0]) }) {
      // The reason for a wait is more important than the number of rows.
      var other = LineParts(width: width, gap: gap)
      if other.add([snapshot.fraction.map(percent), short].compactMap { $0 }) || other.add([short]) { line = other }
    }
    let bar = snapshot.fraction.flatMap { hasBar && line.reserve(shortestBar) ? $0 : nil }
    for part in details(snapshot, isWaiting: !state.isEmpty) { _ = line.add([part]) }
    guard let bar else { return line.text }
    let length = shortestBar + min(longestBar - shortestBar, line.room)
    return Self.bar(bar, length: length) + gap + line.text
  }

  private static func details(_ snapshot: ProgressSnapshot, isWaiting: Bool) -> [String] {
    [
      snapshot.counts.failed > 0 ? "\(Amount.count(snapshot.counts.failed)) failed" : nil,
      snapshot.counts.unsettled > 0 ? "\(Amount.count(snapshot.counts.unsettled)) unsettled" : nil,
      snapshot.rate >= 1 && !isWaiting ? "\(Amount.count(Int(snapshot.rate)))/s" : nil,
      snapshot.isFinished
        ? "in \(Amount.clock(snapshot.seconds))" : snapshot.secondsLeft.map { "\(Amount.clock($0)) left" },
      snapshot.isFinished || isWaiting && snapshot.inFlight == 0 ? nil : "\(Amount.count(snapshot.inFlight)) in flight",
    ].compactMap { $0 }
  }

  /// The state of an import that does not simply send rows; the long form first.
  private static func state(_ snapshot: ProgressSnapshot) -> [String] {
    if snapshot.isFinished { return [] }
    switch snapshot.phase {
    case .sending: return []
    case .readingKnownRows: return ["reading what is done", "reading"]
    case .settling: return ["looking for rows without an answer", "settling"]
    case .draining: return ["stopping: waiting for answers", "stopping"]
    case .waiting(let until, let reason):
      let seconds = max(0, until - snapshot.seconds).rounded(.up)
      let wait = "waiting \(seconds < 100 ? "\(Int(seconds)) s" : Amount.clock(seconds))"
      return ["\(wait): \(reason.description)", wait]
    }
  }

  package static func bar(_ fraction: Double, length: Int) -> String {
    let full = Int((fraction * Double(length)).rounded(.down))
    return String(repeating: "█", count: full) + String(repeating: "░", count: length - full)
  }

  /// Always four columns wide, so that the other parts do not move.
  package static func percent(_ fraction: Double) -> String {
    let text = String(Int((fraction * 100).rounded(.down)))
    return String(repeating: " ", count: 3 - text.count) + text + "%"
  }

  /// 1234567 as "1,234,567".
  package static func grouped(_ number: Int) -> String { Amount.count(number) }
}

private struct LineParts {
  private let gap: String
  private(set) var room: Int
  private(set) var text = ""

  init(width: Int, gap: String) {
    self.gap = gap
    room = width
  }

  mutating func add(_ parts: [String]) -> Bool {
    let addition = (text.isEmpty ? "" : gap) + parts.joined(separator: gap)
    let columns = addition.displayWidth
    guard columns <= room else { return false }
    text += addition
    room -= columns
    return true
  }

  /// Reserves so many columns and a gap.
  mutating func reserve(_ columns: Int) -> Bool {
    guard room >= columns + gap.count, !text.isEmpty else { return false }
    room -= columns + gap.count
    return true
  }
}
