import Core
import JSON
import TableReading
import TaskAPI

/// Judges by its first records whether a file has the shape and the columns with which it is about to be imported.
struct Recognition {
  private let shape: SourceShape
  private let records: [SourceRecord]
  /// The doubt about the header of a table.
  private let header: ReadingDoubt?
  private let otherSheets: [String]

  init(_ reader: PreviewedReader, _ shape: SourceShape) {
    self.shape = shape
    records = reader.beginning
    header = reader.start?.doubt
    otherSheets = reader.buffer?.otherSheets ?? []
  }

  /// - Parameter mapper: the mapping by the usual names; nil if the caller has said where the fields come from.
  func doubts(_ mapper: RowMapper?) -> [ReadingDoubt] {
    var doubts = doubtsOfRows(mapper)
    // The first sheet may be a cover page.
    if !doubts.isEmpty, let sheet = otherSheets.first {
      let name = sheet.replacing("'", with: "'\\''")
      doubts[0].remedies.append(
        "--sheet '\(name)' (sheet = \(JSON.string(sheet).encoded()) in a script) if that sheet has the tasks")
    }
    return doubts
  }

  private func doubtsOfRows(_ mapper: RowMapper?) -> [ReadingDoubt] {
    // Behind a wrong separator, all columns look wrong.
    if let doubt = mapper.flatMap({ singleColumn($0) }) ?? raggedness() ?? header { return [doubt] }
    guard let mapper, shape.names != nil, shape.format != .taskwarrior, shape.format != .todotxt else { return [] }
    let ofText = mapper.doubt ?? textWithoutWords(mapper)
    return decorated(mapper) + severalColumns(mapper) + [unnamed(), ofText].compactMap(\.self)
  }

  // MARK: Shape

  /// A wrong separator, a missing header or a line above it leave one column, whose name tells nothing about texts.
  private func singleColumn(_ mapper: RowMapper) -> ReadingDoubt? {
    guard let names = shape.fieldNames, names.count == 1, !shape.isNameless, !ColumnNames.isText(names[0]),
      !ColumnNames.isHeading(names[0])
    else { return nil }
    let finding = "its only \(shape.noun) is called \"\(names[0].clipped(to: Self.longestName))\""
    let map = "\(RowMapping.example([names[0]])) if it has the texts"
    guard shape.isTable else { return ReadingDoubt(finding, map) }
    var doubt = ReadingDoubt(
      finding, map, "--format text (format = \"text\" in a script) if each line is a task, also the first")
    if let separator = separator(of: names[0]) {
      doubt.remedies.insert(
        "--separator '\(separator)' (separator = \"\(separator)\" in a script) if that separates columns", at: 0)
    }
    return doubt
  }

  /// The character that cuts the name of a single column into names, one of which is a usual one for the text.
  private func separator(of name: String) -> Character? {
    name.first { character in
      guard character.isASCII, !character.isLetter, !character.isNumber, character != " ", character != "\"" else {
        return false
      }
      return name.split(separator: character).contains { ColumnNames.isText(ColumnNames.bare(String($0))) }
    }
  }

  /// Most of the rows do not fit the header, which is then no header, or is read with a wrong separator.
  private func raggedness() -> ReadingDoubt? {
    let broken = records.compactMap { record -> [String]? in
      if case .malformed(_, _, let fields) = record.content { fields } else { nil }
    }
    guard broken.count > 1, 2 * broken.count > records.count else { return nil }
    let part = "\(broken.count) of the first \(records.count)"
    guard shape.isTable, let header = shape.names else {
      return ReadingDoubt("\(part) \(shape.format == .json ? "elements" : "lines") are not tasks")
    }
    let list = header.joined(separator: ", ").clipped(to: Self.longestName)
    return ReadingDoubt(
      "\(part) rows do not have \(counted(header.count, "field")), as the first line has: \(list)",
      "--separator CHARACTER (separator = \"CHARACTER\" in a script) if another character separates columns; remove the lines above the names of the columns"
    )
  }

  // MARK: Columns

  /// A column that is left out, and whose name is a usual one but for quotes or signs: `"Due"`, `Due:`.
  private func decorated(_ mapper: RowMapper) -> [ReadingDoubt] {
    mapper.leftOut.map(\.name).compactMap { name in
      let bare = ColumnNames.bare(name)
      guard bare != ColumnNames.plain(name), let field = FieldNames.usualField(bare), mapper.column(of: field) == nil
      else { return nil }
      let isQuoted = name.hasPrefix("\"") && name.hasSuffix("\"")
      let cause = isQuoted ? ": a space stands before the quote" : ""
      let remedy =
        isQuoted
        ? "remove the spaces between the separators and the quotes" : mapper.example(adding: field, name)
      return ReadingDoubt("the \(shape.noun) \"\(name)\" would be left out, and may be \(field)\(cause)", remedy)
    }
  }

  /// Columns of which each may have a field, and none would be taken.
  private func severalColumns(_ mapper: RowMapper) -> [ReadingDoubt] {
    FieldNames.ambiguous(in: mapper.leftOut.map(\.name)).compactMap { field, names in
      let used = names.filter(hasValues)
      guard mapper.column(of: field) == nil, used.count > 1 else { return nil }
      return ReadingDoubt(
        "\(field) may be in the \(shape.noun)s \(used.quotedList), and none of them would be taken",
        mapper.example(adding: field, used[0]))
    }
  }

  private func unnamed() -> ReadingDoubt? {
    guard shape.isTable, let names = shape.names else { return nil }
    for (index, name) in names.enumerated() where name.isEmpty {
      guard let value = values(index).first(where: { !$0.isBlank }) else { continue }
      return ReadingDoubt(
        "column \(index + 1) has no name, and values such as \"\(value.clipped(to: Self.longestName))\"",
        "--map text=COLUMN (map = { text = COLUMN } in a script) names the columns to take")
    }
    return nil
  }

  /// The texts of all tasks are numbers, dates or IDs.
  private func textWithoutWords(_ mapper: RowMapper) -> ReadingDoubt? {
    let texts = records.compactMap { record -> String? in
      if case .task(let draft) = mapper.draft(of: record) { draft.text } else { nil }
    }
    guard texts.count > 1, texts.allSatisfy({ CellKind($0).isValue }) else { return nil }
    let shown = texts.prefix(3).map { $0.clipped(to: Self.longestName) }.quotedList
    return ReadingDoubt(
      "the text would come from the \(shape.noun) \"\(mapper.textName)\", which has no words: \(shown)",
      "--map text=COLUMN (map = { text = COLUMN } in a script) names the \(shape.noun) with the texts")
  }

  private static let longestName = 60

  private func hasValues(_ name: String) -> Bool {
    guard let column = shape.names?.firstIndex(of: name), shape.isTable else { return true }
    return values(column).contains { !$0.isBlank }
  }

  private func values(_ column: Int) -> [String] {
    records.compactMap { record in
      if case .row(let row) = record.content { row[column] } else { nil }
    }
  }
}
