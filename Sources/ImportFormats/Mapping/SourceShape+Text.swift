import Core
import TaskAPI

extension SourceShape {
  /// The name with the text: a usual name, else the only name.
  func textName() throws(ImportError) -> String {
    let names = fieldNames ?? []
    let candidates = ColumnNames.text(in: names)
    if candidates.count == 1 { return candidates[0] }
    guard candidates.isEmpty else {
      throw ImportError(
        kind: .ambiguousColumn,
        message: "\(name): the text may be in the \(noun)s " + candidates.map { "\"\($0)\"" }.joined(separator: " or "),
        hint: "say which: \(RowMapping.example(candidates))")
    }
    guard names.count == 1 else {
      throw ImportError(
        kind: .missingColumn, message: "\(name) has no \(noun) called \"Text\": its \(noun)s are \(list)",
        hint: missingTextHint(names))
    }
    if let separator = names[0].first(where: { $0 == "," || $0 == ";" || $0 == "\t" || $0 == "|" }) {
      throw ImportError(
        kind: .missingColumn, message: "\(name) has a single column, called \"\(names[0])\"",
        hint: "is the separator \(separator == "\t" ? "a tab" : "'\(separator)'")?")
    }
    return names[0]
  }

  private func missingTextHint(_ names: [String]) -> String {
    let known = FieldNames.recognized(in: names)
    guard known.contains(where: { ForeignNames.field(of: $0.column) != nil }) else {
      return "say which has the text: \(RowMapping.example([]))"
    }
    let hasText = known.contains { $0.field == TaskField.text.rawValue }
    return "say which \(noun)s have the fields: \(RowMapping.option((hasText ? [] : [("text", "COLUMN")]) + known))"
  }

  func missing(_ column: String) -> ImportError {
    ImportError(
      kind: .missingColumn, message: "\(name) has no \(noun) \"\(column)\": its \(noun)s are \(list)",
      hint: nearestName(to: column, in: names ?? []).map { "did you mean \"\($0)\"?" })
  }
}
