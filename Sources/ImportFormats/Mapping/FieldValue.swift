import JSON
import TableReading
import TaskAPI

/// The values of fields as files write them.
package enum FieldValue {
  /// Taskwarrior has no days: an export writes a day as its midnight in UTC.
  static func day(_ value: JSON, for field: TaskField) -> JSON {
    guard field == .due || field == .start, let text = value.string, text.hasSuffix("T000000Z") else { return value }
    return .string(String(text.dropLast(8)))
  }

  static func read(_ value: JSON, for field: TaskField, _ scale: PriorityColumn.Scale = .highestFirst) -> JSON {
    switch field {
    case .priority: return priority(value, scale).map { .integer(Int64($0)) } ?? value
    case .labels:
      // Some lists have blanks or semicolons between the words.
      guard let text = value.string, !text.contains(","), text.contains(";") else { return value }
      return .array(text.split(separator: ";").map { .string($0.trimmed) }.filter { $0 != "" })
    case .notes:
      // Taskwarrior's annotations.
      guard let lines = value.array else { return value }
      return .string(lines.compactMap { $0["description"]?.string ?? $0.string }.joined(separator: "\n"))
    default: return value
    }
  }

  /// The priority from 1, the highest, to 9, and 0 for none; nil for a value that nobody knows.
  static func priority(_ value: JSON, _ scale: PriorityColumn.Scale) -> Int? {
    switch written(value) {
    case .certain(let priority)?, .described(_, as: let priority)?: priority
    case .number(let number)?: scale.priority(number)
    case nil: nil
    }
  }

  static func written(_ value: JSON) -> WrittenPriority? {
    switch value {
    case .string(let text): WrittenPriority(text)
    case .integer(let number): Int(exactly: number).map { .number($0) }
    case .number(let number): Int(exactly: number).map { .number($0) }
    default: nil
    }
  }

  /// True for a number such as `1.2E+15`, whose digits a spreadsheet has left out.
  package static func hasLostDigits(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, (0x30...0x39).contains(first), (5...24).contains(bytes.count) else { return false }
    guard let exponent = bytes.firstIndex(where: { $0 == UInt8(ascii: "E") || $0 == UInt8(ascii: "e") }) else {
      return false
    }
    let digits = bytes[bytes.index(after: exponent)...].dropFirst()
    return bytes[bytes.index(after: exponent)...].first == UInt8(ascii: "+") && (1...3).contains(digits.count)
      && digits.allSatisfy { (0x30...0x39).contains($0) }
      && bytes[..<exponent].allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2C }
  }
}
