import HostLoop

/// What a parameter takes.
package indirect enum LuaType: Sendable {
  case any, boolean, integer, number, string, table, function
  /// A host object, by the name of its type: `account`.
  case object(String)
  /// One of several strings.
  case choice([String])
  case either([LuaType])
  /// A table of these keys.
  case options([Parameter])

  /// How messages and help call it: `a string or table`.
  package var phrase: String {
    switch self {
    case .any: return "any value"
    case .boolean: return "a boolean"
    case .integer: return "an integer"
    case .number: return "a number"
    case .string: return "a string"
    case .table, .options: return "a table"
    case .function: return "a function"
    case .object(let name): return "\("aeiouAEIOU".contains(name.first ?? " ") ? "an" : "a") \(name)"
    case .choice(let names): return "one of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
    case .either(let types):
      let names = types.enumerated().map { offset, type in
        offset == 0 ? type.phrase : withoutArticle(type.phrase)
      }
      return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
  }

  @HostActor func accepts(_ value: LuaValue) -> Bool {
    switch (self, value) {
    case (.any, _), (.boolean, .boolean), (.string, .bytes), (.table, .table), (.options, .table),
      (.function, .function):
      true
    case (.integer, _): value.integer != nil
    case (.number, _): value.number != nil
    case (.object(let name), .object): value.typeName == name
    case (.choice(let names), .bytes): names.contains(value.string ?? "")
    case (.either(let types), _): types.contains { $0.accepts(value) }
    default: false
    }
  }

  /// Whether a string may be right or wrong by what it says.
  var hasChoices: Bool {
    switch self {
    case .choice: true
    case .either(let types): types.contains(where: \.hasChoices)
    default: false
    }
  }

  /// The keys of the options table this is or may be.
  package var optionKeys: [Parameter]? {
    switch self {
    case .options(let keys): keys
    case .either(let types): types.lazy.compactMap(\.optionKeys).first
    default: nil
    }
  }
}

private func withoutArticle(_ phrase: String) -> String {
  for article in ["a ", "an "] where phrase.hasPrefix(article) { return String(phrase.dropFirst(article.count)) }
  return phrase
}
