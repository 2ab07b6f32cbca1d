import Core
import JSON

/// The fields of a task besides its text and its completion, which the tutorial's servers did not know. A task without them looks as
/// it did at those servers.
struct TaskFields {
  /// The names in answers. Requests may write them in any letter case.
  private static let names = [
    "Notes", "Due", "Start", "Priority", "Labels", "List", "Parent", "Recurrence", "Url", keyName, "CompletedAt",
  ]
  /// The key of the task at the source of an import.
  static let keyName = "Key"
  private static let longest = 16_384
  private static let longestKey = 255

  /// The values by these names. Null removes a field.
  private(set) var values: [String: JSON] = [:]

  init() {}

  /// Takes the known fields of a request. Others are ignored, as the tutorial's servers do.
  init(_ members: [(String, JSON)]) throws(TaskRefusal) {
    for (given, value) in members {
      guard let name = Self.names.first(where: { $0.lowercased() == given.lowercased().filter { $0 != "_" } }) else {
        continue
      }
      values[name] = value == .null ? .null : try Self.checked(name, value)
    }
  }

  var isEmpty: Bool { values.isEmpty }

  /// The fields that a new task has.
  var present: [String: JSON] { values.filter { $0.value != .null } }

  func merged(into old: [String: JSON]) -> [String: JSON] {
    old.merging(values) { $1 }.filter { $0.value != .null }
  }

  private static func checked(_ name: String, _ value: JSON) throws(TaskRefusal) -> JSON {
    switch name {
    case "Priority":
      guard let number = value.lenientInteger, (1...9).contains(number) else {
        throw refusal(name, "a number from 1 to 9", value)
      }
      return .integer(number)
    case "Labels":
      // A form has them in one text: a list in JSON, or words with commas between them.
      let list = value.string.flatMap { try? JSON(parsing: $0) }?.array
      let labels =
        value.array ?? list
        ?? value.string.map { $0.split(separator: ",").map { JSON.string(String($0).trimmingSpaces) } }
      guard let labels, labels.allSatisfy({ !($0.string ?? "").isEmpty }) else {
        throw refusal(name, "a list of texts", value)
      }
      return .array(labels)
    case "Due", "Start", "CompletedAt":
      guard let text = value.string,
        text.wholeMatch(of: #/\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(Z|([+\-]\d\d:\d\d)?\[[A-Za-z0-9_+\-\/]+\])?)?/#) != nil
      else { throw refusal(name, "a date such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z", value) }
      return value
    case keyName:
      guard let text = value.string, text.unicodeScalars.count <= longestKey else {
        throw refusal(name, "a text of at most \(longestKey) characters", value)
      }
      return value
    default:
      guard let text = value.string, text.utf8.count <= longest else {
        throw refusal(name, "a text of at most \(longest) bytes", value)
      }
      return value
    }
  }

  private static func refusal(_ name: String, _ expected: String, _ value: JSON) -> TaskRefusal {
    TaskRefusal(
      400, "invalid_field", "the field \(name) must be \(expected), not \(String(value.encoded().prefix(60)))")
  }
}
