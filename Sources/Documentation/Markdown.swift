import Lua

/// The API's reference as pages in Markdown: one for each module, one for what they return.
package struct Markdown: Sendable {
  /// A page of the documentation.
  package struct Page: Sendable {
    /// The name of its file, without `.md`: what `<doc:…>` calls it.
    package let name: String
    package let text: String
  }

  private let reference: Reference

  package init(_ reference: Reference) { self.reference = reference }

  package var pages: [Page] {
    reference.modules.map { Page(name: "API-\($0.name)", text: page($0)) } + [Page(name: Self.values, text: valuesPage)]
  }

  private static let values = "API-values"
  private static let mark = "<!-- Made of the declarations by make docs: a change here is lost. -->"

  private func page(_ module: HostModule) -> String {
    var parts = ["# b2c.\(module.name)", module.doc, Self.mark, module.notes]
    if !module.example.isEmpty { parts.append(code(module.example)) }
    let functions = module.functions + module.modules.flatMap(\.functions)
    if !functions.isEmpty { parts.append("## Functions") }
    parts += functions.flatMap(section)
    if !module.fields.isEmpty { parts += ["## Fields", fields(module.fields, "\(module.name).")] }
    let used = RecordSearch.records([module], [], [])
    if !used.isEmpty { parts += ["## Tables", "What the functions above take and return, by name."] }
    for record in used { parts += ["### \(record.name)", record.doc, fields(record.fields, ""), others(record)] }
    return joined(parts)
  }

  private var valuesPage: String {
    var parts = [
      "# Values", "What functions of the API return, what plugins are made of, and what test files have besides.",
      Self.mark,
    ]
    for type in reference.types {
      parts += ["## \(type.name)", type.doc]
      if !type.members.isEmpty { parts.append(fields(type.members, "")) }
      parts += type.methods.flatMap(section)
    }
    let elsewhere = Set(reference.modules.flatMap { RecordSearch.records([$0], [], []) }.map(\.name))
    let records = reference.records.filter { !elsewhere.contains($0.name) }
    for record in [LuaRecord.error] + records { parts += ["## \(record.name)", record.doc, fields(record.fields, "")] }
    if !reference.globals.isEmpty { parts += ["## In test files"] + reference.globals.flatMap(section) }
    return joined(parts)
  }

  private func section(_ function: HostFunction) -> [String] {
    var parts = [
      "### \(function.name)", "`\(function.signature)`", function.doc + (function.mayWait ? " It may wait." : ""),
    ]
    let plain = function.shownParameters.filter { $0.type.optionKeys == nil || $0.name != "options" }
    if !plain.isEmpty {
      parts.append(table("Argument", plain.map { ($0.name, $0.typeWords, described($0)) }))
    }
    let keys = function.parameters.flatMap { $0.type.optionKeys ?? [] }
    if !keys.isEmpty { parts.append(table("Option", keys.map { ($0.name, $0.optionWords, described($0)) })) }
    if !function.results.isEmpty {
      parts.append(
        function.results.map { "Returns \($0.words): \(described($0.doc, $0.type))" }.joined(separator: "\n\n"))
    }
    if !function.example.isEmpty { parts.append(code("local b2c = require \"b2c\"\n\n" + function.example)) }
    return parts
  }

  private func fields(_ fields: [Parameter], _ prefix: String) -> String {
    table("Field", fields.map { (prefix + $0.name, $0.fieldWords, described($0)) })
  }

  private func others(_ record: LuaRecord) -> String { record.others == nil ? "" : "There may be more fields." }

  private func described(_ parameter: Parameter) -> String { described(parameter.doc, parameter.type) }

  private func described(_ doc: String, _ type: LuaType) -> String {
    ([doc] + type.callbacks).filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func table(_ heading: String, _ rows: [(name: String, type: String, doc: String)]) -> String {
    let lines = rows.map { "| `\($0.name)` | \(cell($0.type)) | \(cell($0.doc)) |" }
    return (["| \(heading) | Value | |", "|---|---|---|"] + lines).joined(separator: "\n")
  }

  private func cell(_ text: String) -> String { text.replacing("|", with: "\\|").replacing("\n", with: " ") }

  private func code(_ text: String) -> String { "```lua\n\(text)\n```" }

  private func joined(_ parts: [String]) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }
}
