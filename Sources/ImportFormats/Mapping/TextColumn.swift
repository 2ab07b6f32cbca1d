import Core
import TableReading
import TaskAPI

/// The choice of the column or the member with the texts: by its name, else by its values.
struct TextColumn {
  let name: String
  /// The column beside a title that has more text.
  private(set) var description: String?
  /// Why the column was chosen, in words, if its name does not say it.
  private(set) var note: String?
  private(set) var doubt: ReadingDoubt?

  /// Throws if no column has texts.
  init(_ shape: SourceShape) throws(ImportError) {
    let names = shape.fieldNames ?? []
    let named = ColumnNames.text(in: names)
    if named.count == 1 || named.isEmpty && names.count == 1 {
      name = named.first ?? names[0]
      doubt = Self.rival(of: name, in: names, shape).map { rival, fact in
        ReadingDoubt(
          "the text may be in the \(shape.noun)s \"\(rival)\" or \"\(name)\": \(fact)",
          "say which: \(RowMapping.option([(TaskField.text.rawValue, rival)])) or "
            + "\(RowMapping.option([(TaskField.text.rawValue, name)])), or map = { text = COLUMN } in a script")
      }
      if named.isEmpty, shape.format != .text { try shape.checkSingleColumn(name) }
      return
    }
    // A title beside a description, and a column with texts beside an empty one, leave no doubt.
    var titles = named.filter { !ColumnNames.isDescription($0) }
    if titles.count > 1 { titles.removeAll(where: ColumnNames.isContent) }
    let used = (titles.isEmpty ? named : titles).filter { Self.length(shape.values($0)) > 0 }
    if let only = used.count == 1 ? used[0] : used.isEmpty && titles.count == 1 ? titles[0] : nil {
      name = only
      description = named.first { $0 != only && (ColumnNames.isDescription($0) || ColumnNames.isContent($0)) }
      return
    }
    let known = FieldNames.recognized(in: names).filter { $0.field != TaskField.text.rawValue }
    let candidates = used.isEmpty ? names.filter { !ColumnNames.isUsual($0) && !ColumnNames.isOther($0) } : used
    let ranked = candidates.map { ($0, Self.length(shape.values($0))) }.filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
    guard let (best, length) = ranked.first else { throw shape.missingText(known) }
    name = best
    let others = ranked.dropFirst()
    let isOnly = shape.isNameless && others.isEmpty
    guard !used.isEmpty || !isOnly && !Self.isSure(shape.values(best), length, others.first?.1 ?? 0) else {
      note = "\"\(best)\" has the longest texts"
      return
    }
    let finding =
      used.isEmpty
      ? "no \(shape.noun) is called \"Text\" (there are \(names.prefix(12).quotedList)), and \"\(best)\" has the longest texts"
      : "the text may be in the \(shape.noun)s \(used.map { "\"\($0)\"" }.joined(separator: " or "))"
    var proposals = [RowMapping.option([(TaskField.text.rawValue, best)] + known)]
    proposals += others.prefix(2).map { RowMapping.option([(TaskField.text.rawValue, $0.0)]) }
    doubt = ReadingDoubt(
      finding, "say which: \(proposals.joined(separator: " or ")), or map = { text = COLUMN } in a script")
  }

  /// A column whose texts fill all rows, beside one that has the name of a text and leaves many rows empty, or is a description
  /// behind it.
  private static func rival(of name: String, in names: [String], _ shape: SourceShape) -> (name: String, fact: String)?
  {
    let share = shape.share(name)
    let isDescription = ColumnNames.isDescription(name)
    guard shape.isTable, share < 0.5 || isDescription else { return nil }
    let before = names.prefix { $0 != name }
    let rival = (share < 0.5 ? names : Array(before)).first { other in
      guard other != name, !ColumnNames.isOther(other), !ColumnNames.isUsual(other) || ColumnNames.isText(other) else {
        return false
      }
      let values = shape.values(other)
      return shape.share(other) > 0.9 && length(values) > 0 && 10 * Set(values).count > 9 * values.count
    }
    guard let rival else { return nil }
    return (
      rival, share < 0.5 ? "\"\(name)\" is empty in most rows" : "\"\(name)\" may be the description of \"\(rival)\""
    )
  }

  /// True for texts of several words that are longer than those of all other columns.
  private static func isSure(_ values: [String], _ length: Double, _ next: Double) -> Bool {
    let sentences = values.count { $0.contains(" ") }
    return values.count > 1 && 2 * sentences >= values.count && length > 1.5 * next
  }

  /// The mean length of the texts other than numbers, dates and IDs, less if they repeat; 0 without texts.
  private static func length(_ values: [String]) -> Double {
    let texts = values.filter { CellKind($0) == .text }
    guard 2 * texts.count > values.count else { return 0 }
    let distinct = Double(Set(texts).count) / Double(values.count)
    return distinct * Double(texts.reduce(0) { $0 + $1.count }) / Double(texts.count)
  }
}

extension SourceShape {
  /// Throws for a single column whose name has a separator in it.
  fileprivate func checkSingleColumn(_ column: String) throws(ImportError) {
    guard let separator = column.first(where: { $0 == "," || $0 == ";" || $0 == "\t" || $0 == "|" }) else { return }
    throw ImportError(
      kind: .missingColumn, message: "\(name) has a single column, called \"\(column)\"",
      hint: "is the separator \(separator == "\t" ? "a tab" : "'\(separator)'")?")
  }

  fileprivate func missingText(_ known: [(field: String, column: String)]) -> ImportError {
    ImportError(
      kind: .missingColumn, message: "\(name) has no \(noun) called \"Text\": its \(noun)s are \(list)",
      hint: known.contains { ForeignNames.field(of: $0.column) != nil }
        ? "say which \(noun)s have the fields: \(RowMapping.option([("text", "COLUMN")] + known))"
        : "say which has the text: \(RowMapping.example([]))")
  }

  func missing(_ column: String) -> ImportError {
    ImportError(
      kind: .missingColumn, message: "\(name) has no \(noun) \"\(column)\": its \(noun)s are \(list)",
      hint: nearestName(to: column, in: names ?? []).map { "did you mean \"\($0)\"?" })
  }
}
