import TableReading
import TaskAPI

extension ForeignNames {
  static var texts: Set<String> { names.first { $0.field == TaskField.text.rawValue }?.names ?? [] }

  /// The field that a column with this name probably has; nil for other names.
  static func field(of name: String) -> TaskField? {
    let plain = ColumnNames.plain(name)
    return names.first { $0.names.contains(plain) }.flatMap { TaskField(rawValue: $0.field) }
  }
}
