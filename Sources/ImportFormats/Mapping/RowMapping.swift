/// The columns, or members of objects, that become fields of a task: `text=Title,due=Due`.
package struct RowMapping: Sendable, Equatable {
  package struct Pair: Sendable, Equatable {
    /// `text`, `completed`, or the server's name of a field.
    package var field: String
    /// The name of a column or a member.
    package var column: String

    package init(field: String, column: String) {
      self.field = field
      self.column = column
    }
  }

  package let pairs: [Pair]
  /// True for the columns that an earlier run has found.
  private(set) var isKept = false

  /// The columns that an earlier run has found; several may say whether a task is done.
  init(kept pairs: [Pair]) {
    self.pairs = pairs
    isKept = true
  }

  /// Throws if the text is missing, a name is empty, or a field occurs twice.
  package init(_ pairs: [Pair]) throws(ImportError) {
    try self.init(pairs, writtenAs: pairs.map { "\($0.field)=\($0.column)" }.joined(separator: ","))
  }

  /// Reads pairs of the form `FIELD=COLUMN`, separated by commas. A name with a comma, an equals sign or a quote is in
  /// double quotes, and its quotes are doubled: `text="Title, long"`.
  package init(parsing text: String) throws(ImportError) {
    var reader = PairReader(text)
    try self.init(reader.pairs(), writtenAs: text)
  }

  /// The options that say that the text is in one of the columns; without columns, in any one. Nobody knows which is meant, so
  /// none of several is preferred.
  static func example(_ columns: [String]) -> String {
    let options = (columns.isEmpty ? ["COLUMN"] : columns).map { column in
      let isPlain = column.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
      return "--map text=\(isPlain ? column : "'\"\(column.replacing("\"", with: "\"\""))\"'")"
    }
    let name = columns.count == 1 ? columns[0] : "COLUMN"
    return "\(options.joined(separator: " or ")), or in a script map = { text = \"\(name)\" }"
  }

  /// The option of the command line for these pairs.
  static func option(_ pairs: [(field: String, column: String)]) -> String {
    let isPlain = pairs.allSatisfy { pair in
      pair.column.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
    let text = pairs.map { "\($0.field)=\(quoted($0.column))" }.joined(separator: ",")
    return isPlain ? "--map \(text)" : "--map '\(text.replacing("'", with: "'\\''"))'"
  }

  private static func quoted(_ column: String) -> String {
    let isPlain = column.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == " " }
    return isPlain ? column : "\"\(column.replacing("\"", with: "\"\""))\""
  }

  private init(_ pairs: [Pair], writtenAs text: String) throws(ImportError) {
    var seen: Set<String> = []
    for pair in pairs {
      guard !pair.field.isEmpty, !pair.column.isEmpty else {
        throw .map(text, "has a part without a \(pair.field.isEmpty ? "field" : "column")")
      }
      guard seen.insert(pair.field.lowercased()).inserted else {
        throw .map(text, "says twice where \"\(pair.field)\" comes from")
      }
    }
    guard seen.contains("text") else {
      let others = Self.corrected(pairs)
      let hasText = others.contains { $0.field == "text" }
      throw .map(
        text, "does not say which column has the text",
        hint: "write \(Self.option((hasText ? [] : [("text", "COLUMN")]) + others.map { ($0.field, $0.column) }))")
    }
    self.pairs = pairs
  }

  /// The pairs with the names of the fields that are meant: `completed` for `done`.
  private static func corrected(_ pairs: [Pair]) -> [Pair] {
    pairs.map { pair in
      let meant = FieldNames.meant(by: pair.field)
      return pairs.contains { $0.field == meant } ? pair : Pair(field: meant ?? pair.field, column: pair.column)
    }
  }

  /// The doubt about fields whose names are those of other programs: tasks would get fields of these names, which a server
  /// hardly keeps.
  var doubt: ReadingDoubt? {
    let corrected = Self.corrected(pairs)
    let wrong = zip(pairs, corrected).filter { $0.0 != $0.1 }
    guard !wrong.isEmpty else { return nil }
    let names = wrong.map { "\"\($0.0.field)\" is not a field of a task: did you mean \($0.1.field)?" }
    return ReadingDoubt(
      "the map: \(names.joined(separator: "; "))", Self.option(corrected.map { ($0.field, $0.column) }))
  }
}

private struct PairReader {
  private let text: String
  private var reader: NameReader

  init(_ text: String) {
    self.text = text
    reader = NameReader(text)
  }

  mutating func pairs() throws(ImportError) -> [RowMapping.Pair] {
    var pairs: [RowMapping.Pair] = []
    repeat {
      let start = reader.rest
      let field = try name(until: ["=", ","])
      guard reader.skips("=") else {
        let part = start.prefix { $0 != "," }
        throw .map(text, part.allSatisfy(\.isWhitespace) ? "has an empty part" : "has a part without '=': \(part)")
      }
      pairs.append(RowMapping.Pair(field: field, column: try name(until: [","])))
    } while reader.skips(",")
    return pairs
  }

  private mutating func name(until ends: Set<Character>) throws(ImportError) -> String {
    guard let name = reader.name(until: ends) else { throw .map(text, "has a quote that is never closed") }
    if let next = reader.rest.first, !ends.contains(next) {
      throw .map(text, "has text after the quotes of \"\(name.text)\"")
    }
    return name.text
  }
}

/// Reads names of an option that are plain or in double quotes.
struct NameReader {
  private(set) var rest: Substring

  init(_ text: String) { rest = text[...] }

  /// Leaves out the character if it is the next one.
  mutating func skips(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  /// The next name without blanks around it, nil if its quote is never closed. Then `rest` begins with one of `ends`, or is empty,
  /// unless text stands behind quotes.
  mutating func name(until ends: Set<Character>) -> (text: String, isQuoted: Bool)? {
    rest = rest.drop(while: \.isWhitespace)
    guard skips("\"") else {
      let name = rest.prefix { !ends.contains($0) }
      rest = rest[name.endIndex...]
      return (name.trimmed, false)
    }
    var name = ""
    while let character = rest.popFirst() {
      if character != "\"" || skips("\"") {
        name.append(character)
      } else {
        rest = rest.drop(while: \.isWhitespace)
        return (name, true)
      }
    }
    return nil
  }
}

extension Substring {
  var trimmed: String {
    guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(self[...last].drop(while: \.isWhitespace))
  }
}

extension ImportError {
  fileprivate static func map(
    _ text: String, _ problem: String, hint: String = "write FIELD=COLUMN, as in text=Title,due=Due"
  ) -> ImportError { ImportError(kind: .invalidMap, message: "the map \"\(text)\" \(problem)", hint: hint) }
}
