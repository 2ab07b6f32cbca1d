import Core
import Pages

/// A row of a plan as a row of a table.
enum PlanRowHTML {
  /// The plan's file has longer values in full.
  private static let longestValue = 300
  private static let mostFields = 30

  static func head(hasLines: Bool) -> [HTML] {
    [HTML(.th, class: "number", hasLines ? "Line" : "Row"), HTML(.th, "Text"), HTML(.th, "What")]
  }

  /// - Parameter hasLines: true if the rows of the source have lines. Then a task without a row has none.
  static func row(_ row: PlannedRow, hasLines: Bool) -> HTML {
    let reason = row.reason.map { HTML(.p, class: "reason", shown($0)) }
    let fields = fields(row)
    let rest = fields.count - mostFields
    let key = row.key.map { HTML(.div, class: "quiet", shown($0)) }
    return HTML(
      .tr, HTML(.td, class: "number", row.line.map(String.init) ?? (hasLines ? "" : String(row.row))),
      HTML(.td, shown(row.text), key),
      HTML(
        .td, reason, Array(fields.prefix(mostFields)),
        rest > 0 ? HTML(.p, class: "quiet", "and \(Amount.count(rest, "more field"))") : nil))
  }

  private static func fields(_ row: PlannedRow) -> [HTML] {
    switch row.action {
    case .create: PlanWords.fields(row).map { field($0.field, HTML.list(shown($0.value))) }
    case .remove: []
    default:
      PlanWords.changes(row).map { change in
        let (old, new) = FittedText.distinct(change.old, change.new, width: 2 * longestValue)
        return field(
          change.field, HTML.list(HTML(.span, class: "old", old), " → ", HTML(.span, class: "new", new)))
      }
    }
  }

  private static func field(_ name: String, _ value: HTML) -> HTML {
    HTML(.p, HTML(.b, shown(name)), " ", value)
  }

  private static func shown(_ text: String) -> String { PlanWords.text(text).clipped(to: longestValue) }
}
