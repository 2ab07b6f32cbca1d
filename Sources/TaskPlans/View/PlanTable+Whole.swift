import Core
import Pages

/// The text of a plan by which a person decides.
extension PlanTable {
  /// The widest text and fields of a row that the table shows whole.
  private static let widestCell = 300
  /// So wide that such a row is not cut.
  private static let width = 1000
  private static let mostOfValue = 10_000
  private static let mostOfAll = 400_000

  /// The table, and behind it each row whose texts are too long for a table. A text that is not whole tells how much of it is
  /// missing.
  /// - Parameter file: the path of the plan's file, which has all rows.
  package func decisionText(file: String) -> String {
    var text = text(width: Self.width, file: file)
    var room = Self.mostOfAll
    for row in shown {
      let parts = PlanWords.parts(row)
      guard
        parts.contains(where: { $0.value.unicodeScalars.count > Self.widestCell })
          || parts.reduce(0, { $0 + $1.name.count + $1.value.unicodeScalars.count }) > 2 * Self.widestCell
      else { continue }
      text +=
        "\n\(row.action.rawValue), \(hasLines ? "line \(row.line.map(String.init) ?? "-")" : "row \(row.row)"), whole:\n"
      for part in parts {
        let shown = Self.beginning(of: part.value, most: min(Self.mostOfValue, max(0, room)))
        room -= shown.utf8.count
        text += "  \(part.name.displayable): \(shown)\n"
      }
    }
    return text
  }

  private static func beginning(of text: String, most: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text.displayable }
    let missing = Amount.count(scalars[end...].count)
    return String(scalars[..<end]).displayable + " [\(missing) more characters are not shown; decline if you need them]"
  }
}
