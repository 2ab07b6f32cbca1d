import JSON

enum CompletionValue {
  private static let yes: Set<String> = [
    "true", "t", "yes", "y", "1", "x", "[x]", "done", "completed", "complete", "finished", "closed", "resolved",
    "checked", "on", "✓", "✔", "☑", "✅",
  ]
  private static let no: Set<String> = [
    "", "false", "f", "no", "n", "0", "[ ]", "-", "open", "todo", "to do", "to-do", "pending", "waiting", "active",
    "new", "started", "not started", "notstarted", "in progress", "inprogress", "in-progress", "needsaction",
    "needs-action", "incomplete", "unchecked", "off", "backlog", "planned", "☐",
  ]

  /// Nil for an unclear value.
  static func isCompleted(_ value: JSON) -> Bool? {
    switch value {
    case .null: false
    case .bool(let value): value
    case .integer(0), .number(0): false
    case .integer(1), .number(1): true
    case .string(let text): isCompleted(text)
    default: nil
    }
  }

  static func isCompleted(_ text: String) -> Bool? {
    let word = text[...].trimmed.lowercased().replacing("_", with: " ")
    if yes.contains(word) { return true }
    if no.contains(word) { return false }
    // Some lists have the time of the completion: 2026-11-30…
    return word.utf8.prefix(10).matches("0000-00-00") ? true : nil
  }
}
