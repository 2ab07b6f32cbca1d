import Core
import Crypto
package import JSON

extension APITask {
  /// The version of the task: its entity tag, or, from a service that has none, a digest of its common fields.
  package var version: String { entityTag ?? "\(TaskReference.digestPrefix)\(digest)" }

  /// The same for the task in a list and alone.
  private var digest: String {
    let fields = commonFields.sorted { $0.key < $1.key }.map { "\($0)=\($1.encoded())" }
    return SHA256.hash(fields.joined(separator: "\n").utf8).prefix(12).hexadecimal
  }

  /// The common fields that the task has, by their names in scripts, in their one form.
  package var commonFields: [String: JSON] {
    var fields: [String: JSON] = [TaskField.text.rawValue: .string(text)]
    if completed { fields[TaskField.completed.rawValue] = true }
    for field in TaskField.further { fields[field.rawValue] = normal(field) }
    return fields
  }

  /// The value of a field in its one form, or as it is if it has none; nil for no value.
  package func normal(_ field: TaskField) -> JSON? {
    guard let value = value(of: field) else { return nil }
    do throws(TaskFieldError) { return try field.normalized(value) } catch { return value }
  }
}

extension TaskReference {
  /// The beginning of a version that is a digest of the task's fields.
  static let digestPrefix = "fields:"

  /// True if the service compares the version itself (RFC 9110, 13.1.1).
  package var isCompared: Bool { entityTag.map { !$0.hasPrefix(Self.digestPrefix) } ?? false }
}
