import Core
import Pages

/// A trace as a table for the terminal.
package struct TraceTable {
  private let trace: RecordedTrace
  private let story: Story

  package init(_ trace: RecordedTrace) {
    self.trace = trace
    story = Story(trace)
  }

  /// The table for a terminal of `width` columns, nil without one; `paint` applies an SGR style.
  package func text(width: Int?, paint: (String, String) -> String) -> String {
    var grid = TextGrid(header: ["s", "from → to", "what", "status", "took", "line"], numeric: [0, 3, 4], flexible: 2)
    for step in story.steps { grid.rows.append(row(step)) }
    var facts = [trace.title, Amount.count(trace.requestCount, "request"), Amount.duration(trace.length)]
    if let start = UnixTime(iso: trace.started) { facts.insert("\(start.day), \(start.clock) UTC", at: 1) }
    if let status = trace.exitStatus { facts.append("exit status \(status)") }
    return paint(facts.joined(separator: "  ").displayable, "1") + "\n\n" + grid.text(width: width, paint)
      + trace.leftOut.map { "\nNot in it: \($0.displayable)\n" }.joined()
  }

  private func row(_ step: Step) -> TextGrid.Row {
    let who = step.from == step.to ? step.from.rawValue : "\(step.from.rawValue) → \(step.to.rawValue)"
    let indent = step.kind == .call ? "" : "  "
    let isExchange = step.kind == .exchange
    var row = TextGrid.Row(
      cells: [
        step.time, who, indent + step.label, isExchange ? step.answer ?? "" : "",
        step.took.map { Amount.duration($0) } ?? "", step.line ?? "",
      ])
    row.style =
      switch step.tone {
      case .bad: "31"
      case .good: "32"
      case .warn: "33"
      case .quiet: "2"
      case .plain: step.kind == .call ? "1" : ""
      }
    if let failure = step.failure {
      let meaning = failure.meaning.map { " (\($0))" } ?? ""
      row.notes = ["\(failure.code)\(meaning): \(failure.message)"] + (failure.hint.map { ["→ \($0)"] } ?? [])
    }
    return row
  }
}
