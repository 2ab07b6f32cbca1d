import Core
import Pages
import TaskPlans

/// The outcome of a plan, for a terminal.
package enum PlanResultText {
  private static let mostShown = 20

  package static func render(_ result: PlanResult) -> String {
    let words = PlanOutcome.Kind.allCases.compactMap { kind -> String? in
      guard let count = result.counts[kind], count > 0 else { return nil }
      return "\(Amount.count(count)) \(kind.words)"
    }
    var lines = [words.isEmpty ? "nothing to do" : words.joined(separator: ", ")]
    if result.wasDone { lines[0] += " (an earlier run has done it)" }
    for (row, outcome) in result.open.prefix(mostShown) {
      let place = "row \(row.row)\(row.line.map { " (line \($0))" } ?? "")"
      let text = row.text.isEmpty ? "" : " \"\(row.text.displayable.clipped(to: 50))\""
      lines.append("  \(outcome.kind.rawValue)  \(place)\(text): \((outcome.reason ?? "").displayable)")
    }
    let rest = result.openCount - min(result.open.count, mostShown)
    if rest > 0 { lines.append("  and \(Amount.count(rest)) more: --report FILE.json has all") }
    let isDone = [PlanOutcome.Kind.created, .changed, .removed, .reversed].contains { result.counts[$0] ?? 0 > 0 }
    if isDone, let command = result.undoCommand { lines.append("to take it back: \(command)") }
    return lines.joined(separator: "\n")
  }
}

extension PlanOutcome.Kind {
  fileprivate var words: String {
    switch self {
    case .same: "the same"
    case .conflict: "in conflict"
    case .kept: "kept"
    default: rawValue
    }
  }
}
