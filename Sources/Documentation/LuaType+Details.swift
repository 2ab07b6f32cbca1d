package import Lua

extension LuaType {
  var callbacks: [String] {
    switch self {
    case .callback(let parameters, let results): [Self.sentence(parameters, results)].filter { !$0.isEmpty }
    case .either(let types): types.flatMap(\.callbacks)
    default: []
    }
  }

  private static func sentence(_ parameters: [Parameter], _ results: [HostFunction.Result]) -> String {
    let takes = parameters.map { "\($0.name) (\($0.type.description): \($0.doc.clause))" }
    let gives = results.map { "\($0.words) (\($0.doc.clause))" }
    let parts = [("is called with", takes), ("returns", gives)].filter { !$0.1.isEmpty }
    guard !parts.isEmpty else { return "" }
    return "The function \(parts.map { "\($0) \($1.joined(separator: ", "))" }.joined(separator: " and "))."
  }

  /// The records this is or may be, or is a list of.
  var records: [LuaRecord] {
    switch self {
    case .record(let record): [record]
    case .list(let type): type.records
    case .either(let types): types.flatMap(\.records)
    default: []
    }
  }

  /// The same records, and the records that functions are called with and return.
  var recordsAround: [LuaRecord] {
    switch self {
    case .callback(let parameters, let results):
      parameters.flatMap { $0.type.records } + results.flatMap { $0.type.records }
    case .either(let types): types.flatMap(\.recordsAround)
    default: records
    }
  }
}

extension Parameter {
  /// The type of an argument: `a string, optional`.
  package var typeWords: String { "\(type.description)\(isOptional ? ", optional" : "")" }

  /// The same of an option, where those that are not optional stand out.
  package var optionWords: String { isOptional ? type.description : "\(type.description), required" }

  /// The type of a field: `a string or nil`.
  package var fieldWords: String { "\(type.description)\(isOptional ? " or nil" : "")" }
}

extension HostFunction.Result {
  /// The type of the result: `a string or nil`.
  package var words: String { "\(type.description)\(isOptional ? " or nil" : "")" }
}

extension String {
  /// A sentence as part of another: without its full stop.
  fileprivate var clause: String {
    let text = hasSuffix(".") ? String(dropLast()) : self
    // "URL" and other abbreviations keep their capital letters.
    guard let second = text.dropFirst().first, second.isLowercase || second == " " else { return text }
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// Without the marks of Markdown.
  var plain: String { replacing(#/\[([^\]]+)\]\([^)]*\)/#) { String($0.output.1) }.replacing("`", with: "") }

  var plainParagraphs: [String] { split(separator: "\n\n").map { String($0).plain } }
}
