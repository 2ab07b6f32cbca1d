import HostLoop
import ImportFormats
import JSON
import TaskAPI

/// The key of rows: the column with its values, and the field of the task that keeps it.
@HostActor
struct PlannerKey {
  /// The name of the column, as the source spells it.
  let column: String
  /// True for the name that the source has for a row, whatever its column is called.
  private let isName: Bool
  /// True if the column has the names of rows: journals of imports know the tasks of these names.
  let hasNames: Bool
  /// The field of the task; nil if the service keeps no key.
  var field: String?
  /// True if the source has a column for the field. Then a row has the key among its fields already.
  var isMapped = false

  /// The key of a row, or the reason why it has none.
  enum Value: Equatable {
    case key(String)
    case problem(String)
  }

  private static let longest = 1024

  init(column: String, isName: Bool, hasNames: Bool) {
    (self.column, self.isName, self.hasNames) = (column, isName, hasNames)
  }

  func value(of row: PlannerSource.Row) -> Value {
    let value = isName ? row.name.map { .string($0) } : SourceColumns.value(column, in: row.record, row.knownDraft)
    let text: String
    switch value {
    case .object?, .array?: return .problem("the key \(shown) is \(Self.kind(value)), expected a text or a number")
    case .null?, nil: text = ""
    case let value?: text = Self.normal(value.plainText)
    }
    if text.isEmpty { return .problem("the key column \(shown) is empty") }
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return .problem("the key \(shown) has a control character or a line break")
    }
    if text.utf8.count > longest, text.count > longest {
      return .problem("the key \(shown) has \(text.count) characters; a key has at most \(longest)")
    }
    if FieldValue.hasLostDigits(text) {
      return .problem(
        "the key \(shown) is \(text): a spreadsheet has left out digits; format the column as text there and export it "
          + "again")
    }
    return .key(text)
  }

  private var longest: Int { field == TaskField.key.rawValue ? 255 : Self.longest }

  /// A key as it is compared: without blanks around it. Two forms of one character in Unicode are equal, two letter cases are not.
  static func normal(_ text: String) -> String { text.trimmed }

  var shown: String { "'\(column.prefix(60))'" }

  private static func kind(_ value: JSON?) -> String { value?.object == nil ? "a list" : "an object" }
}

extension PlannerKey {
  /// The fields that may keep a key: those with a text, and the server's own.
  static func canKeep(_ field: String) -> Bool {
    switch TaskField(rawValue: field) {
    case .text, .notes, .url, .key, nil: true
    default: false
    }
  }
}

extension String {
  /// The text without white space around it.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }
}
