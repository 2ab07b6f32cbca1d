import HostLoop
import ImportFormats
import JSON
import TaskAPI

/// The tasks of the account, with the fields that a plan compares.
@HostActor
final class PlannerTasks {
  struct Entry {
    let reference: TaskReference
    /// The values of the fields in their one form, by their names in scripts. An empty field has none.
    let values: [String: JSON]

    var text: String { values[TaskField.text.rawValue]?.string ?? "" }
    /// The task for a message.
    var shown: String { "\"\(text.prefix(60))\" (ID \(reference.id))" }
  }

  private(set) var entries: [Entry] = []
  private(set) var byKey: [String: [Int]] = [:]
  private var byID: [String: Int] = [:]
  /// The tasks that rows have taken, by the numbers of these rows.
  private var takers: [Int: Int] = [:]
  private let keyField: String?
  /// The names of the fields that are compared; nil for all.
  private let fields: Set<String>?
  private let dedupe: String?
  /// The values that tasks have in the field of `dedupe`.
  private(set) var values: Set<String> = []

  /// - Parameters:
  ///   - fields: the names of the fields that are compared; nil for all.
  ///   - dedupe: the field whose values are noted.
  init(keyField: String?, fields: Set<String>?, dedupe: String?) {
    (self.keyField, self.fields, self.dedupe) = (keyField, fields, dedupe)
  }

  func add(_ task: APITask) {
    guard let reference = TaskReference(task), byID[reference.id] == nil else { return }
    byID[reference.id] = entries.count
    if let dedupe, let value = task.value(of: dedupe) { values.insert(value) }
    let entry = Entry(reference: reference, values: values(of: task))
    if let key = key(of: entry) { byKey[key, default: []].append(entries.count) }
    entries.append(entry)
  }

  private func values(of task: APITask) -> [String: JSON] {
    guard let fields else {
      return task.commonFields.merging(task.further) { common, _ in common }.filter { $0.value != .null }
    }
    var values: [String: JSON] = [TaskField.text.rawValue: .string(task.text)]
    for name in fields {
      guard let field = TaskField(rawValue: name) else {
        values[name] = task.raw[name].flatMap { $0 == .null ? nil : $0 }
        continue
      }
      switch field {
      case .text: break
      case .completed: values[name] = task.completed ? true : nil
      default: values[name] = task.normal(field)
      }
    }
    return values
  }

  /// The key in the field that keeps it; nil without one.
  func key(of entry: Entry) -> String? {
    guard let keyField, let text = entry.values[keyField]?.plainText else { return nil }
    let key = PlannerKey.normal(text)
    return key.isEmpty ? nil : key
  }

  func index(id: String) -> Int? { byID[id] }

  /// Notes that a row has found the task. Returns the row that has found it before; nil without one.
  func take(_ index: Int, row: Int) -> Int? {
    if let other = takers[index], other != row { return other }
    takers[index] = row
    return nil
  }
}
