import Core
import Pages

/// A plan as a table for a terminal. It takes the rows one by one and keeps those that it shows.
package struct PlanTable {
  /// So many removals are shown in any case: a task that goes is named.
  private static let mostRemovals = 200
  private static let mostLines = 4
  private static let actionWidth = 8

  private let header: PlanHeader
  private let most: Int
  private var rows: [PlannedRow.Action: [PlannedRow]] = [:]
  private(set) var hasLines = false
  /// The numbers of rows so far, by their action.
  package private(set) var counts: [PlannedRow.Action: Int] = [:]

  /// - Parameter most: so many rows are shown, besides removals.
  package init(_ header: PlanHeader, most: Int = 40) {
    self.header = header
    self.most = most
  }

  package mutating func add(_ row: PlannedRow) {
    counts[row.action, default: 0] += 1
    hasLines = hasLines || row.line != nil
    let limit =
      PlanWords.uneventful.contains(row.action) ? 0 : row.action == .remove ? max(most, Self.mostRemovals) : most
    if rows[row.action, default: []].count < limit { rows[row.action, default: []].append(row) }
  }

  /// Lines with line breaks: the counts, the notes and the rows, the doubtful ones first. Rows with nothing to do are counted
  /// only.
  /// - Parameters:
  ///   - width: the columns of the terminal.
  ///   - file: the path of the plan's file, which has all rows; nil without one.
  ///   - paint: applies an SGR style.
  package func text(width: Int, file: String?, paint: (String, String) -> String = { text, _ in text }) -> String {
    let shown = shown
    var lines = [paint(PlanWords.counts(counts), "1")]
    for note in header.notes {
      lines += FittedText.lines("note: \(PlanWords.text(note))", width: max(width, 40), most: 8)
    }
    if !shown.isEmpty { lines += [""] + table(shown, width: max(width, 40), paint) }
    let rest =
      PlanWords.order.filter { !PlanWords.uneventful.contains($0) }.reduce(0) { $0 + (counts[$1] ?? 0) } - shown.count
    if rest > 0 {
      let places = (file.map { ["\(PlanWords.text($0)) has all rows"] } ?? []) + ["--report plan.html shows them"]
      lines += ["and \(Amount.count(rest)) more: \(places.joined(separator: ", "))"]
    }
    return lines.map { "\($0)\n" }.joined()
  }

  /// The rows to show, in their order.
  var shown: [PlannedRow] {
    var room = most
    return PlanWords.order.flatMap { action -> [PlannedRow] in
      let all = rows[action] ?? []
      if action == .remove { return all }
      let some = Array(all.prefix(room))
      room -= some.count
      return some
    }
  }

  private func table(_ rows: [PlannedRow], width: Int, _ paint: (String, String) -> String) -> [String] {
    let places = rows.map { row in hasLines ? row.line.map(String.init) ?? "" : String(row.row) }
    let title = hasLines ? "line" : "row"
    let place = max(title.count, places.map(\.count).max() ?? 0)
    let room = width - Self.actionWidth - place - 6
    let longest = rows.map { min(PlanWords.text($0.text).displayWidth, room) }.max() ?? 0
    let text = min(max(longest, 4), max(10, room * 2 / 5))
    func begin(_ action: String, _ number: String, _ words: String) -> String {
      let cells = [
        action.fitted(to: Self.actionWidth), number.fitted(to: place, alignedRight: true), words.fitted(to: text),
      ]
      return cells.joined(separator: "  ") + "  "
    }
    let indent = String(repeating: " ", count: begin("", "", "").count)
    let head = trimmed(begin("action", title, "text") + "what")
    return [paint(head, "2")]
      + zip(rows, places).flatMap { row, place -> [String] in
        let details = details(row, width: max(10, room - text))
        let first = begin(row.action.rawValue, place, PlanWords.text(row.text)) + (details.first ?? "")
        let lines = [first] + details.dropFirst().map { indent + $0 }
        return lines.map { Self.style(row.action).isEmpty ? trimmed($0) : paint(trimmed($0), Self.style(row.action)) }
      }
  }

  /// The reason and the changes, each on its own line. The fields of a new task are together.
  private func details(_ row: PlannedRow, width: Int) -> [String] {
    func wrapped(_ text: String) -> [String] {
      FittedText.lines(text, width: width, most: Self.mostLines)
    }
    let reason = row.reason.map { wrapped(PlanWords.text($0)) } ?? []
    switch row.action {
    case .create:
      let fields = PlanWords.fields(row).map { "\($0.field) \($0.value.clipped(to: width))" }
      return reason + wrapped(fields.joined(separator: ", "))
    case .change:
      let changes = PlanWords.changes(row).map { change in
        let field = "\(change.field.clipped(to: width / 3)): "
        let room = max(5, width - field.displayWidth)
        return field + FittedText.pair(change.old, change.new, width: room)
      }
      return reason + changes
    default: return reason
    }
  }

  private static func style(_ action: PlannedRow.Action) -> String {
    switch action {
    case .conflict, .kept: "33"
    case .refused, .remove: "31"
    case .create: "32"
    case .change: ""
    case .gone, .same, .skipped: "2"
    }
  }

  private func trimmed(_ line: String) -> String { String(line.reversed().drop { $0 == " " }.reversed()) }
}
