import JSON
import TaskAPI
import TaskPlans

/// The fields in which a row and its task differ.
struct PlannerComparison {
  /// The fields that differ.
  private(set) var changes: [String: PlannedRow.Change] = [:]
  /// The fields that differ and that the service cannot change.
  private(set) var fixed: [String] = []

  /// - Parameters:
  ///   - wanted: the values that the task is to have; null for none.
  ///   - unkept: the fields of which the service keeps the day, another value or nothing.
  ///   - fixedFields: the fields that the service cannot change.
  init(
    _ wanted: [String: JSON], _ task: PlannerTasks.Entry, unkept: Set<String>, fixedFields: Set<String>
  ) {
    for (name, new) in wanted {
      let old = task.values[name]
      guard Self.differs(name, new, old, isKept: !unkept.contains(name)) else { continue }
      if fixedFields.contains(name) {
        fixed.append(name)
      } else {
        changes[name] = PlannedRow.Change(old: old ?? Self.none(name), new: new)
      }
    }
    fixed.sort()
  }

  /// The value of an empty field.
  static func none(_ name: String) -> JSON { name == TaskField.completed.rawValue ? false : .null }

  private static func differs(_ name: String, _ new: JSON, _ old: JSON?, isKept: Bool) -> Bool {
    if new == old { return false }
    guard new != none(name), new != .null else { return old != nil }
    guard let field = TaskField(rawValue: name) else { return old?.plainText.trimmed != new.plainText.trimmed }
    guard isKept else { return dayDiffers(new, old) }
    if field.isKept(new, in: old) { return false }
    switch field {
    case .completed, .completedAt, .due, .start, .priority, .labels: return true
    default: return lines(old?.plainText ?? "") != lines(new.plainText)
    }
  }

  /// True if both are times of different days: the service keeps the day alone.
  private static func dayDiffers(_ new: JSON, _ old: JSON?) -> Bool {
    guard let new = new.string.flatMap({ try? TaskTime(parsing: $0) }),
      let old = old?.string.flatMap({ try? TaskTime(parsing: $0) })
    else { return false }
    return new.day != old.day
  }

  /// The text without white space around it, whose lines end in a line feed.
  private static func lines(_ text: String) -> String { text.replacing("\r\n", with: "\n").trimmed }
}
