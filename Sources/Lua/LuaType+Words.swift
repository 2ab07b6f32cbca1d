extension LuaType {
  /// How messages call it: `a string or table`.
  package var phrase: String { words(namingRecords: false) }

  /// How help calls it: `a task`, where messages have `a table`.
  package var description: String { words(namingRecords: true) }

  private func words(namingRecords: Bool) -> String {
    switch self {
    case .any: return "any value"
    case .boolean: return "a boolean"
    case .integer: return "an integer"
    case .number: return "a number"
    case .string: return "a string"
    case .table, .options: return "a table"
    case .function, .callback: return "a function"
    case .object(let name): return withArticle(name)
    case .record(let record): return namingRecords ? withArticle(record.name) : "a table"
    case .list(let type): return "a list of \(type.plural(namingRecords))"
    case .map(let type): return namingRecords ? "a table of \(type.plural(true)) by name" : "a table"
    case .choice(let names):
      return names.count == 1 ? listed(names) : "one of " + listed(names)
    case .openChoice(let names): return namingRecords ? "a string (\(listed(names)) or another)" : "a string"
    case .either(let types):
      let names = types.enumerated().map { offset, type in
        let words = type.words(namingRecords: namingRecords)
        return offset == 0 ? words : withoutArticle(words)
      }
      return alternatives(names)
    }
  }

  private func plural(_ namingRecords: Bool) -> String {
    switch self {
    case .any: "values"
    case .choice, .openChoice: "strings"
    case .list: "lists"
    case .map: "tables"
    case .either(let types): alternatives(types.map { $0.plural(namingRecords) })
    default: withoutArticle(words(namingRecords: namingRecords)) + "s"
    }
  }
}

private func listed(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }

private func alternatives(_ names: [String]) -> String {
  guard names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
}

private func withArticle(_ name: String) -> String {
  "\("aeiouAEIOU".contains(name.first ?? " ") ? "an" : "a") \(name)"
}

private func withoutArticle(_ phrase: String) -> String {
  for article in ["a ", "an "] where phrase.hasPrefix(article) { return String(phrase.dropFirst(article.count)) }
  return phrase
}
