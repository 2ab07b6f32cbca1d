/// What a parameter takes, or a result is.
package indirect enum LuaType: Sendable {
  case any, boolean, integer, number, string, table, function
  /// A host object, by the name of its type: `account`.
  case object(String)
  /// One of several strings.
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

  /// Whether a string may be right or wrong by what it says.
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

  /// Whether a number may be given.
  var takesNumbers: Bool {
    switch self {
    case .integer, .number: true
    case .either(let types): types.contains(where: \.takesNumbers)
    default: false
    }
  }

  /// Whether it is a secret, which may be given as a string.
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
