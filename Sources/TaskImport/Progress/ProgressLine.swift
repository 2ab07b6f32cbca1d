import Core

/// The one line that shows how an import goes.
package enum ProgressLine {
  private static let shortestBar = 8
  private static let longestBar = 32
  private static let gap = "  "

  /// The line, at most `width` columns wide. What matters less is left out where there is no room; a figure is there in
  /// full or not at all.
  /// - Parameter hasBar: false in a file, where a picture is of no use.
  package static func render(_ snapshot: ProgressSnapshot, width: Int, hasBar: Bool = true) -> String {
    var line = LineParts(width: width, gap: gap)
    let rows = "\(grouped(snapshot.settled)) \(snapshot.settled == 1 ? "row" : "rows")"
    if !line.add([snapshot.fraction.map(percent), rows].compactMap { $0 }) {
      _ = line.add([rows]) || line.add([grouped(snapshot.settled)]) || line.add([snapshot.fraction.map(percent) ?? ""])
    }
    let state = state(snapshot)
    if let short = state.last, !state.contains(where: { line.add([$0]) }) {
      // That nothing happens, and why, says more than how many rows there are.
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
      snapshot.failed > 0 ? "\(grouped(snapshot.failed)) failed" : nil,
      snapshot.unsettled > 0 ? "\(grouped(snapshot.unsettled)) unsettled" : nil,
      snapshot.rate >= 1 && !isWaiting ? "\(grouped(Int(snapshot.rate)))/s" : nil,
      snapshot.isFinished ? "in \(duration(snapshot.seconds))" : snapshot.secondsLeft.map { "\(duration($0)) left" },
      snapshot.isFinished || isWaiting && snapshot.inFlight == 0 ? nil : "\(grouped(snapshot.inFlight)) in flight",
    ].compactMap { $0 }
  }

  /// The state of an import that is not simply sending rows; the long form first.
  private static func state(_ snapshot: ProgressSnapshot) -> [String] {
    if snapshot.isFinished { return [] }
    switch snapshot.phase {
    case .sending: return []
    case .readingKnownRows: return ["reading what is done", "reading"]
    case .settling: return ["looking for rows without an answer", "settling"]
    case .draining: return ["stopping: waiting for answers", "stopping"]
    case .waiting(let until, let reason):
      let seconds = max(0, until - snapshot.seconds).rounded(.up)
      let wait = "waiting \(seconds < 100 ? "\(Int(seconds)) s" : duration(seconds))"
      return ["\(wait): \(reason.description)", wait]
    }
  }
}

/// The parts of a line that have found room.
private struct LineParts {
  private let gap: String
  private(set) var room: Int
  private(set) var text = ""

  init(width: Int, gap: String) {
    self.gap = gap
    room = width
  }

  /// Adds all of them if there is room for all.
  mutating func add(_ parts: [String]) -> Bool {
    let addition = (text.isEmpty ? "" : gap) + parts.joined(separator: gap)
    let columns = addition.displayWidth
    guard columns <= room else { return false }
    text += addition
    room -= columns
    return true
  }

  /// Keeps room for something of so many columns and a gap.
  mutating func reserve(_ columns: Int) -> Bool {
    guard room >= columns + gap.count, !text.isEmpty else { return false }
    room -= columns + gap.count
    return true
  }
}
