import Lua

/// Definitions for editors: what scripts can call and hold, as comments of the Lua language server (LuaCATS) say it.
package struct Stubs: Sendable {
  /// A file of definitions.
  package struct File: Sendable {
    /// Below the folder that the editor is told of.
    package let path: String
    package let text: String
  }

  let reference: Reference
  /// The classes of options tables, by the names of their keys: functions with the same options share one.
  private(set) var optionClasses: [String: String] = [:]

  package init(_ reference: Reference) {
    self.reference = reference
    for function in reference.functions {
      for keys in function.parameters.compactMap(\.type.optionKeys) {
        let name = "b2c.\(function.name.replacing(":", with: ".")).options"
        if optionClasses[Self.mark(keys)] == nil { optionClasses[Self.mark(keys)] = name }
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
    return "---What scripts have of the host.\n---@class b2c\n\(fields.joined())"
      + "---@field args b2c.args # The script's arguments.\nlocal b2c = {}\n"
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
    return (reference.records.map(definition) + classes).joined(separator: "\n")
  }

  private var tests: String {
    let options = reference.globals.compactMap(optionsClass)
    let tables = Set(reference.globals.filter { $0.name != $0.shortName }.map { $0.name.prefix { $0 != "." } })
    return (options + tables.sorted().map { "\($0) = {}\n" } + reference.globals.map { definition($0, of: nil) })
      .joined(separator: "\n")
  }

  static func mark(_ keys: [Parameter]) -> String { keys.map(\.name).joined(separator: " ") }
}
