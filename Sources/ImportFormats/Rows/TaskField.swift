package import JSON
import TaskAPI

extension TaskDraft {
  package func value(of field: String) -> String? { field.lowercased() == "text" ? text : fields.value(of: field) }

  /// The task as a row, for a source that has no JSON.
  package var original: JSON { .object(fields.merging(["text": .string(text)]) { _, text in text }) }
}

extension APITask {
  /// The value of a field in the form that a row of an import has it, whatever the server calls the field.
  package func value(of name: String) -> String? {
    if name.lowercased() == "text" { return text }
    guard let field = TaskField(spelled: name), let value = value(of: field) else { return raw.object?.value(of: name) }
    let normal = (try? field.normalized(value)) ?? value
    return normal.string ?? normal.encoded()
  }
}

extension [String: JSON] {
  /// Servers spell their fields in different letter cases.
  fileprivate func value(of field: String) -> String? {
    let name = TaskField(spelled: field)?.rawValue ?? field
    let value = self[field] ?? self[name] ?? first { $0.key.lowercased() == field.lowercased() }?.value
    guard let value, value != .null else { return nil }
    return value.string ?? value.encoded()
  }
}
