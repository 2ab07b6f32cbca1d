/// The type of a parameter or a result.
package indirect enum LuaType: Sendable {
  case any, boolean, integer, number, string, table, function
  /// A host object, by the name of its type: `account`.
  case object(String)
  case choice([String])
  /// A string: one of these, or another, for there may be more by plugins.
  case openChoice([String])
  case either([LuaType])
  /// A table of these keys.
  case options([Parameter])
  /// A table with the record's fields. Only that it is a table is checked.
  case record(LuaRecord)
  /// A sequence. Only that it is a table is checked.
  case list(of: LuaType)
  /// A table of such values by name. Only that it is a table is checked.
  case map(of: LuaType)
  /// A function that is called with these arguments, or that a script calls.
  case callback([Parameter], returns: [HostFunction.Result] = [])

  /// A word, or a list of them.
  package static let words = LuaType.either([.string, .list(of: .string)])

  /// The fields of its records.
  var fields: [Parameter] {
    switch self {
    case .record(let record): record.fields
    case .either(let types): types.flatMap(\.fields)
    default: []
    }
  }

  /// True if a string may be right or wrong by what it says.
  var hasChoices: Bool {
    switch self {
    case .choice: true
    case .either(let types): types.contains(where: \.hasChoices)
    default: false
    }
  }

  /// The strings to choose from that the declaration lists.
  package var knownWords: [String] {
    switch self {
    case .choice(let words), .openChoice(let words): words
    case .either(let types): types.flatMap(\.knownWords)
    default: []
    }
  }

  var takesNumbers: Bool {
    switch self {
    case .integer, .number: true
    case .either(let types): types.contains(where: \.takesNumbers)
    default: false
    }
  }

  /// True if it is a secret, which may be given as a string.
  var isSecret: Bool {
    guard case .either(let types) = self else { return false }
    return types.contains { if case .object("secret") = $0 { true } else { false } }
  }

  /// The keys of the options table this is or may be.
  package var optionKeys: [Parameter]? {
    switch self {
    case .options(let keys): keys
    case .either(let types): types.lazy.compactMap(\.optionKeys).first
    default: nil
    }
  }

  /// True if a function reads what a table of this type holds, and no table of the API stands for it.
  var hasContents: Bool {
    switch self {
    case .options, .record, .list, .map: true
    case .either(let types): types.contains(where: \.hasContents)
    default: false
    }
  }

  /// The types that stand in this one: those to choose from, of the elements, the fields, the arguments and results.
  package var parts: [LuaType] {
    switch self {
    case .either(let types): types
    case .list(let type), .map(let type): [type]
    case .options(let keys): keys.map(\.type)
    case .record(let record): record.fields.map(\.type) + (record.others.map { [$0] } ?? [])
    case .callback(let parameters, let results): parameters.map(\.type) + results.map(\.type)
    default: []
    }
  }
}

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
    case .choice(let names): return names.count == 1 ? listed(names) : "one of " + listed(names)
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
