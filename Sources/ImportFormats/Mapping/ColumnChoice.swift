import TableReading
import TaskAPI

/// The columns or members that have the fields of a task, by their names and by their values.
struct ColumnChoice {
  let text: TextColumn
  let completions: [String]
  private(set) var fields: [(field: String, column: String)]

  /// Throws if no column has texts.
  init(_ shape: SourceShape) throws(ImportError) {
    let names = shape.fieldNames ?? []
    let text = try TextColumn(shape)
    self.text = text
    let others = names.filter { $0 != text.name }
    guard !shape.isNameless else {
      let states = others.filter { name in
        shape.kind(name) == .word && shape.values(name).allSatisfy { ValueWords.isDone($0) != nil }
      }
      completions = states
      fields = Self.byKind(others.filter { !states.contains($0) }, shape)
      return
    }
    completions = StatedFact.columns(in: others, shape)
    let stated = Set(ColumnNames.completions(in: others))
    fields = FieldNames.guessed(in: others.filter { !stated.contains($0) }) { !shape.values($0).isEmpty }
    let notes = TaskField.notes.rawValue
    if let description = text.description, !fields.contains(where: { $0.field == notes }) {
      fields.append((notes, description))
    }
  }

  /// The fields of columns without names: the only column of dates, of priorities in words, and of addresses.
  private static func byKind(_ names: [String], _ shape: SourceShape) -> [(field: String, column: String)] {
    func only(_ field: TaskField, _ isIt: (String) -> Bool) -> (field: String, column: String)? {
      let found = names.filter(isIt)
      return found.count == 1 ? (field.rawValue, found[0]) : nil
    }
    return [
      only(.due) { shape.kind($0) == .date },
      only(.priority) { name in
        shape.kind(name) == .word && shape.values(name).allSatisfy { ValueWords.priority($0) != nil }
      },
      only(.url) { name in shape.kind(name) == .address && shape.values(name).allSatisfy { $0.contains("://") } },
    ].compactMap(\.self)
  }
}
