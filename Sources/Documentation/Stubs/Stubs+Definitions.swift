import Lua

extension Stubs {
  func definition(_ module: HostModule) -> String {
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

  func definition(_ type: HostType) -> String {
    var parts = type.methods.compactMap(optionsClass)
    parts.append(
      comment([type.doc]) + "---@class b2c.\(type.identifier)\n" + type.members.map(field).joined()
        + "local \(type.identifier) = {}\n")
    parts += type.methods.map { definition($0, of: type.identifier) }
    return parts.joined(separator: "\n")
  }

  func definition(_ record: LuaRecord) -> String {
    let others = record.others.map { "---@field [string] \(notation($0))\n" } ?? ""
    return comment([record.doc]) + "---@class b2c.\(record.identifier)\n" + record.fields.map(field).joined() + others
  }

  /// The class of a function's options; nil where there are none, or another function has it.
  func optionsClass(_ function: HostFunction) -> String? {
    let own = "b2c.\(function.name.replacing(":", with: ".")).options"
    guard let keys = function.parameters.lazy.compactMap(\.type.optionKeys).first,
      optionClasses[Self.mark(keys)] == own
    else { return nil }
    return "---Options of `\(function.name)`.\n---@class \(own)\n" + keys.map(field).joined()
  }

  /// - Parameter owner: the local variable that has it; nil for a global function.
  func definition(_ function: HostFunction, of owner: String?) -> String {
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

  /// Paragraphs as comments; empty ones are left out.
  private func comment(_ paragraphs: [String]) -> String {
    let text = paragraphs.filter { !$0.isEmpty }.joined(separator: "\n\n")
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { "---\($0)\n" }.joined()
  }
}
