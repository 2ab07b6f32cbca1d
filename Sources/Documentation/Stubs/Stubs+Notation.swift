import Lua

extension Stubs {
  /// A type as the language server writes it: `string|b2c.task`, `fun(row: any, number: integer): string?`.
  func notation(_ type: LuaType) -> String {
    switch type {
    case .any, .boolean, .integer, .number, .string, .table, .function: "\(type)"
    case .object(let name): "b2c.\(name.replacing(" ", with: "_"))"
    case .choice(let words): words.map { "\"\($0)\"" }.joined(separator: "|")
    case .openChoice(let words): (words.map { "\"\($0)\"" } + ["string"]).joined(separator: "|")
    case .either(let types): types.map { grouped($0, isFunctionOnly: true) }.joined(separator: "|")
    case .options(let keys): optionClasses[Self.mark(keys)] ?? "table"
    case .record(let record): "b2c.\(record.identifier)"
    case .list(let element): "\(grouped(element))[]"
    case .map(let element): "table<string, \(notation(element))>"
    case .callback(let parameters, let results): function(parameters, results)
    }
  }

  func nullable(_ type: LuaType, _ isOptional: Bool) -> String {
    if case .any = type { return "any" }
    return isOptional ? "\(grouped(type, isFunctionOnly: true))|nil" : notation(type)
  }

  private func function(_ parameters: [Parameter], _ results: [HostFunction.Result]) -> String {
    let takes = parameters.map { "\($0.name)\($0.isOptional ? "?" : ""): \(notation($0.type))" }
    let gives = results.map { nullable($0.type, $0.isOptional) }.joined(separator: ", ")
    let call = "fun(\(takes.joined(separator: ", ")))"
    guard !gives.isEmpty else { return call }
    // The server takes every result of such a type for required, nil or not: so there are two types.
    let mayGiveNothing = !parameters.isEmpty && results.allSatisfy(\.isOptional)
    return mayGiveNothing ? "(\(call): \(gives))|\(call)" : "\(call): \(gives)"
  }

  /// In parentheses where what follows would be taken for a part of it.
  private func grouped(_ type: LuaType, isFunctionOnly: Bool = false) -> String {
    switch type {
    case .callback: "(\(notation(type)))"
    case .either, .choice, .openChoice: isFunctionOnly ? notation(type) : "(\(notation(type)))"
    default: notation(type)
    }
  }
}
