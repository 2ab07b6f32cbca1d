import JSON
import TaskAPI

extension TaskDraft {
  func value(of field: String) -> String? { field.lowercased() == "text" ? text : fields.value(of: field) }

  /// The task as a row, for a source that has no JSON.
  var original: JSON { .object(fields.merging(["text": .string(text)]) { _, text in text }) }
}

extension APITask {
  func value(of field: String) -> String? { field.lowercased() == "text" ? text : raw.object?.value(of: field) }
}

extension [String: JSON] {
  /// Servers spell their fields in different letter cases.
  fileprivate func value(of field: String) -> String? {
    let value = self[field] ?? first { $0.key.lowercased() == field.lowercased() }?.value
    guard let value, value != .null else { return nil }
    return value.string ?? value.encoded()
  }
}
