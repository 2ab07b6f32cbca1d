package import CommandLine
import Core
import HostLoop
package import Lua

/// An option of a script, with the type of its value.
package struct ScriptOption: Sendable {
  let option: CommandOption
  /// The value and its name in a script.
  let parameter: Parameter
  let fallback: LuaValue
  /// True if the option may be given several times. The script then gets a list.
  let isList: Bool

  /// True if the option comes from the declaration of a function.
  var isTaken: Bool { parameter.flag != nil }
  var key: String { option.key }

  /// An option that a script declares.
  init(_ option: CommandOption, _ type: LuaType, fallback: LuaValue, isList: Bool) {
    self.option = option
    self.fallback = fallback
    self.isList = isList
    parameter = Parameter(option.key, type, optional: true, in: Parameter.anyNumber)
  }

  /// The form of a function's option on the command line; nil for an option that only scripts have.
  init?(_ parameter: Parameter) {
    guard let flag = parameter.flag else { return nil }
    let words = parameter.type.hasOnlyWords ? flag.words.map(\.key) + parameter.type.knownWords : []
    guard var option = CommandOption(flag.spelling, flag.doc, choices: words) else { return nil }
    option.key = parameter.name
    if case .openChoice = parameter.type { option.isOpen = true }
    self.option = option
    self.parameter = parameter
    fallback = .nil
    isList = flag.isMany
  }

  /// Throws for a text of another type, with the option as given in `word`.
  @HostActor func value(of text: String, as word: String) throws(UsageError) -> LuaValue {
    if let boolean = parameter.flag?.words.first(where: { $0.key == text })?.value { return .boolean(boolean) }
    let type = parameter.type
    let number = Int64(text).map { LuaValue.integer($0) } ?? Double(text).flatMap { $0.isFinite ? .number($0) : nil }
    let value = number.flatMap { type.accepts($0) ? $0 : nil } ?? .path(text)
    guard type.accepts(value) else {
      throw UsageError(
        "\(word): expected a \(type.accepts(.number(0.5)) ? "number" : "whole number"), got '\(text)'", option)
    }
    if let problem = parameter.problem(with: value) { throw UsageError("\(word): \(problem)", option) }
    return value
  }
}

extension LuaType {
  /// True if all values are booleans and words. The declaration lists some or all of the words.
  fileprivate var hasOnlyWords: Bool {
    switch self {
    case .boolean, .choice, .openChoice: true
    case .either(let types): types.allSatisfy(\.hasOnlyWords)
    default: false
    }
  }
}

extension LuaError {
  /// An error of a command line.
  package static func usage(_ message: String, hint: String? = nil) -> LuaError {
    LuaError(code: "usage", message: message, hint: hint)
  }

  /// The same, as scripts see it.
  package init(_ error: UsageError) {
    self.init(
      code: error.code, message: error.message, hint: error.hint,
      subject: error.option.map { Subject("term.options", option: $0.key, error.problem) })
  }
}
