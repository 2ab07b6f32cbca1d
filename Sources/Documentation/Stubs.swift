import Lua

/// Definitions for editors: what scripts can call and hold, as comments of the Lua language server (LuaCATS) say it.
package struct Stubs: Sendable {
  /// A file of definitions.
  package struct File: Sendable {
    /// Below the folder that the editor is told of.
    package let path: String
    package let text: String
  }

  private let reference: Reference
  /// The classes of options tables, by the names of their keys: functions with the same options share one.
  private var optionClasses: [String: String] = [:]

  package init(_ reference: Reference) {
    self.reference = reference
    for function in reference.functions {
      for keys in function.parameters.compactMap(\.type.optionKeys) where optionClasses[Self.mark(keys)] == nil {
        optionClasses[Self.mark(keys)] = Self.optionsName(function)
      }
    }
  }

  /// One file for each module, so that `require` of it leads there, and one for what they have in common.
  package var files: [File] {
    [File(path: "b2c.lua", text: header("b2c") + root + "\nreturn b2c\n")]
      + reference.modules.map { module in
        File(
          path: "b2c/\(module.name).lua",
          text: header("b2c.\(module.name)") + definition(module) + "\nreturn \(module.name)\n")
      }
      + [
        File(path: "b2c/args.lua", text: header("b2c.args") + arguments + "\nreturn args\n"),
        File(path: "b2c/types.lua", text: header("_") + types),
      ] + (reference.globals.isEmpty ? [] : [File(path: "b2c/tests.lua", text: header("_") + tests)])
  }

  /// All of it in one file.
  package var text: String {
    let parts = reference.modules.map(definition) + [arguments, types, root]
    return header("b2c") + parts.joined(separator: "\n") + "\nreturn b2c\n"
  }

  private func header(_ name: String) -> String { "---@meta \(name)\n\n" }

  private var root: String {
    let fields = reference.modules.map { "---@field \($0.name) b2c.\($0.name) # \($0.doc)\n" }
    let functions = reference.rootFunctions
    return
      (functions.compactMap(optionsClass) + [
        "---What scripts have of the host.\n---@class b2c\n\(fields.joined())"
          + "---@field args b2c.args # The script's arguments.\nlocal b2c = {}\n"
      ] + functions.map { definition($0, of: "b2c") }).joined(separator: "\n")
  }

  private var arguments: String {
    """
    ---The script's arguments: positions from 1, and `--name=value` by name.
    ---@class b2c.args
    ---@field [integer] string
    ---@field [string] string|true
    local args = {}

    """
  }

  private var types: String {
    let modules = Set(reference.allModules.map(\.name))
    let classes = reference.types.filter { !modules.contains($0.identifier) }.map(definition)
    return (reference.records.map(definition) + classes + [Self.files]).joined(separator: "\n")
  }

  /// The methods of files beside those of Lua.
  private static let files = """
    ---A file of io.open.
    ---@class file*
    ---@field sync fun(self: file*): boolean?, string? # Returns when the written text is on the disk.
    ---@field lock fun(self: file*): boolean?, string? # Returns true; nil if another process has locked the file.

    """

  private var tests: String {
    let options = reference.globals.compactMap(optionsClass)
    let tables = Set(reference.globals.filter { $0.name != $0.shortName }.map { $0.name.prefix { $0 != "." } })
    return (options + tables.sorted().map { "\($0) = {}\n" } + reference.globals.map { definition($0, of: nil) })
      .joined(separator: "\n")
  }

  private static func mark(_ keys: [Parameter]) -> String { keys.map(\.name).joined(separator: " ") }

  // MARK: Definitions

  private func definition(_ module: HostModule) -> String {
    // Some objects are modules, too, and may have fields beyond those that are known.
    let isOpen = reference.types.contains { $0.identifier == module.name && $0.field != nil }
    let name = module.shortName
    let inner = module.modules.map { "---@field \($0.shortName) b2c.\($0.name) # \($0.doc)\n" }
    var parts = module.modules.map(definition)
    parts += module.functions.compactMap(optionsClass)
    parts.append(
      comment([module.doc, module.notes]) + "---@class b2c.\(module.name)\n" + module.fields.map(field).joined()
        + inner.joined() + (isOpen ? "---@field [string] any\n" : "") + "local \(name) = {}\n")
    parts += module.functions.map { definition($0, of: name) }
    return parts.joined(separator: "\n")
  }

  private func definition(_ type: HostType) -> String {
    var parts = type.methods.compactMap(optionsClass)
    parts.append(
      comment([type.doc]) + "---@class b2c.\(type.identifier)\n" + type.members.map(field).joined()
        + "local \(type.identifier) = {}\n")
    parts += type.methods.map { definition($0, of: type.identifier) }
    return parts.joined(separator: "\n")
  }

  private func definition(_ record: LuaRecord) -> String {
    let others = record.others.map { "---@field [string] \(notation($0))\n" } ?? ""
    return comment([record.doc]) + "---@class b2c.\(record.identifier)\n" + record.fields.map(field).joined() + others
  }

  /// The class of a function's options; nil where there are none, or another function has it.
  private func optionsClass(_ function: HostFunction) -> String? {
    let own = Self.optionsName(function)
    guard let keys = function.parameters.lazy.compactMap(\.type.optionKeys).first,
      optionClasses[Self.mark(keys)] == own
    else { return nil }
    return "---Options of `\(function.name)`.\n---@class \(own)\n" + keys.map(field).joined()
  }

  private static func optionsName(_ function: HostFunction) -> String {
    "b2c.\(function.name.replacing(":", with: ".")).options"
  }

  /// - Parameter owner: the local variable that has it; nil for a global function.
  private func definition(_ function: HostFunction, of owner: String?) -> String {
    var lines = [comment([function.doc, function.example.isEmpty ? "" : "```lua\n\(function.example)\n```"])]
    for parameter in function.shownParameters {
      let mark = parameter.isOptional ? "?" : ""
      lines.append("---@param \(parameter.name)\(mark) \(notation(parameter.type))\(remark(parameter.doc))\n")
    }
    var names = function.shownParameters.map(\.name)
    if function.isVariadic {
      names.append("...")
      lines.append("---@param ... \(notation(function.parameters.last?.type ?? .any))\n")
    }
    for result in function.results {
      lines.append("---@return \(nullable(result.type, result.isOptional))\(remark(result.doc))\n")
    }
    let name = owner.map { "\($0)\(function.isMethod ? ":" : ".")\(function.shortName)" } ?? function.name
    return lines.joined() + "function \(name)(\(names.joined(separator: ", "))) end\n"
  }

  private func field(_ field: Parameter) -> String {
    "---@field \(field.name)\(field.isOptional ? "?" : "") \(notation(field.type))\(remark(field.doc))\n"
  }

  private func remark(_ doc: String) -> String { doc.isEmpty ? "" : " # \(doc.replacing("\n", with: " "))" }

  private func comment(_ paragraphs: [String]) -> String {
    let text = paragraphs.filter { !$0.isEmpty }.joined(separator: "\n\n")
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { "---\($0)\n" }.joined()
  }

  // MARK: Types

  /// A type as the language server writes it: `string|b2c.task`, `fun(row: any, number: integer): string?`.
  private func notation(_ type: LuaType) -> String {
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

  private func nullable(_ type: LuaType, _ isOptional: Bool) -> String {
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
