import Core
import JSON
import Pages
import TaskAPI

/// The rows of a plan in words for people. The words of a task's version are not among them.
enum PlanWords {
  /// The actions in the order in which a person looks at them: the doubtful ones first.
  static let order: [PlannedRow.Action] = [
    .conflict, .refused, .kept, .gone, .remove, .change, .create, .same, .skipped,
  ]

  /// The actions whose rows are of little interest.
  static let uneventful: Set<PlannedRow.Action> = [.same, .skipped]

  /// One line with the number of rows of each action.
  static func counts(_ counts: [PlannedRow.Action: Int]) -> String {
    let parts = PlannedRow.Action.allCases.compactMap { action -> String? in
      guard let count = counts[action], count > 0 else { return nil }
      return "\(Amount.count(count)) \(words(action, isOne: count == 1))"
    }
    return parts.isEmpty ? "nothing to do: the plan has no rows" : parts.joined(separator: ", ")
  }

  /// The words behind a number of rows.
  static func words(_ action: PlannedRow.Action, isOne: Bool = false) -> String {
    switch action {
    case .create, .change, .remove: "to \(action.rawValue)"
    case .same: "the same"
    case .conflict: isOne ? "conflict" : "conflicts"
    case .skipped, .refused, .kept, .gone: action.rawValue
    }
  }

  /// The source and the account of a plan.
  static func title(_ header: PlanHeader) -> String { text("\(header.source) → \(header.accountName)") }

  /// A text of the data as one line without control characters.
  static func text(_ text: String) -> String { bounded(text).displayable }

  /// The changed fields in the order of `TaskField`, those of the server behind them.
  static func changes(_ row: PlannedRow) -> [(field: String, old: String, new: String)] {
    values(row).map { field, old, new in
      // The place where two long values begin to differ is among what is shown.
      let isLong = max(old.utf8.count, new.utf8.count) > longest
      let start = isLong ? zip(old.utf8, new.utf8).prefix { $0 == $1 }.count - longest / 4 : 0
      return (text(field), bounded(old, from: max(0, start)).displayable, bounded(new, from: max(0, start)).displayable)
    }
  }

  /// The same as they are, of any length.
  private static func values(_ row: PlannedRow) -> [(field: String, old: String, new: String)] {
    let order = TaskField.allCases.map(\.rawValue)
    func place(_ field: String) -> Int { order.firstIndex(of: field) ?? order.count }
    return row.changes.sorted { (place($0.key), $0.key) < (place($1.key), $1.key) }.map {
      ($0.key, shown($0.value.old), shown($0.value.new))
    }
  }

  /// All texts of a row as they are, of any length.
  static func parts(_ row: PlannedRow) -> [(name: String, value: String)] {
    var parts = [("text", row.text)] + (row.reason.map { [("reason", $0)] } ?? [])
    for value in values(row)
    where row.action != .create || value.field != TaskField.text.rawValue || value.new != row.text {
      parts.append(row.action == .create ? (value.field, value.new) : ("\(value.field) before", value.old))
      if row.action != .create { parts.append((value.field, value.new)) }
    }
    return parts
  }

  /// The fields of a new task besides its text.
  static func fields(_ row: PlannedRow) -> [(field: String, value: String)] {
    let fields = changes(row).filter { $0.field != TaskField.text.rawValue }.map { ($0.field, $0.new) }
    return fields + (row.parentRow.map { [("parent", "row \($0)")] } ?? [])
  }

  private static func shown(_ value: JSON) -> String {
    switch value {
    case .null, .array([]), .string(""): "none"
    case .bool(let flag): flag ? "yes" : "no"
    case .array(let list): list.map(shown).joined(separator: ", ")
    case .string(let text): text
    default: value.encoded()
    }
  }

  /// More bytes of a text are never shown. Measuring the width of a very long text takes long.
  private static let longest = 2000

  private static func bounded(_ text: String, from start: Int = 0) -> String {
    let bytes = text.utf8
    guard start > 0 || bytes.count > longest else { return text }
    let piece = String(decoding: bytes.dropFirst(start).prefix(longest), as: UTF8.self)
    return (start > 0 ? "…" : "") + piece + (start + longest < bytes.count ? "…" : "")
  }
}
