import JSON
import TableReading

enum CompletionValue {
  /// The state of a task, as a value tells it.
  enum Word: Equatable {
    case done, open
    /// The value is empty, so that other fields decide.
    case nothing
    case unclear
  }

  static func word(_ value: JSON, isPercentage: Bool) -> Word {
    if value == .null { return .nothing }
    if let text = value.string { return word(text, isPercentage: isPercentage) }
    switch value {
    case .integer(let share) where isPercentage: return share >= 100 || share == 1 ? .done : .open
    case .number(let share) where isPercentage: return share >= 100 || share == 1 ? .done : .open
    default: break
    }
    return isCompleted(value).map { $0 ? .done : .open } ?? .unclear
  }

  static func word(_ text: String, isPercentage: Bool) -> Word {
    let word = text[...].trimmed
    if word.isEmpty { return .nothing }
    if isPercentage || word.hasSuffix("%") {
      let number = word.replacing("%", with: "").replacing(",", with: ".")
      if let share = Double(number[...].trimmed) {
        return share >= 100 || isPercentage && share == 1 && !word.hasSuffix("%") ? .done : .open
      }
    }
    return isCompleted(word).map { $0 ? .done : .open } ?? .unclear
  }

  private static func isCompleted(_ value: JSON) -> Bool? {
    switch value {
    case .bool(let value): value
    case .integer(0), .number(0): false
    case .integer(1), .number(1): true
    default: nil
    }
  }

  private static func isCompleted(_ text: String) -> Bool? {
    if let isDone = ValueWords.isDone(text) { return isDone }
    // Some lists have the time of the completion: 2026-11-30…
    return text.utf8.prefix(10).matches("0000-00-00") ? true : nil
  }
}
