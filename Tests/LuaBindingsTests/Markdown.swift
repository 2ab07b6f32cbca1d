@testable import Documentation
@testable import Lua

/// The API's reference as pages in Markdown: one page for each group of modules, with the objects and tables that the
/// functions of these modules take and return.
struct Markdown: Sendable {
  /// A page of the documentation.
  struct Page: Sendable {
    /// The name of the page's file, without `.md`.
    let name: String
    let text: String
  }

  private struct Group {
    let page: String
    let title: String
    let summary: String
    let modules: [String]
  }

  private static let jobs = "API-jobs"
  private static let terminal = "API-terminal"
  private static let groups = [
    Group(
      page: "API-sign-in", title: "API: signing in",
      summary: "Settings, accounts, sign-in flows, keys and user agents.",
      modules: ["settings", "accounts", "oauth", "jose", "secrets", "browser"]),
    Group(
      page: "API-tasks", title: "API: tasks", summary: "The task API, imports and their journals, and files of rows.",
      modules: ["tasks", "imports", "csv"]),
    Group(
      page: "API-http", title: "API: requests",
      summary: "HTTP requests, MCP servers, JSON, XML, and concurrent functions.",
      modules: ["http", "mcp", "json", "xml", "async"]),
    Group(
      page: terminal, title: "API: the terminal",
      summary: "The terminal, a script's command line, log lines, and the debugger.", modules: ["term", "log"]),
    Group(page: jobs, title: "API: jobs", summary: "The declaration of a job, and the run of a job.", modules: []),
    Group(
      page: "API-tenant", title: "API: the local tenant and tests",
      summary: "The local tenant, and the functions for test files.", modules: ["tenant"]),
  ]
  private static let plugins = Group(
    page: "API-plugins", title: "API: errors and plugins",
    summary: "The error that functions raise, the table that a plugin returns, and the tables that its hooks receive.",
    modules: [])

  let pages: [Page]

  init(_ reference: Reference) {
    var contents = PageContents(reference.types)
    var writer = PageWriter()
    for group in Self.groups {
      for module in reference.modules where group.modules.contains(module.name) {
        for function in module.functions { writer.note(function, group.page) }
      }
    }
    pages = (Self.groups + [Self.plugins]).map { group in
      let modules = reference.modules.filter { group.modules.contains($0.name) }
      let globals = group.modules.contains("tenant") ? reference.globals : []
      let functions = reference.rootFunctions.filter { group.page == ($0.name == "debug" ? Self.terminal : Self.jobs) }
      for module in modules { contents.visit(module) }
      for function in globals + functions { contents.visit(function) }
      if group.page == Self.plugins.page {
        contents.visit(.record(.error))
        for record in reference.records { contents.visit(.record(record)) }
        for type in reference.types { contents.visit(.object(type.name)) }
      }
      let found = contents.taken()
      writer.begin(group.page, group.title, group.summary)
      for module in modules { writer.write(module) }
      if !globals.isEmpty { writer.write("In test files", globals) }
      if !functions.isEmpty { writer.write("b2c", functions) }
      for type in found.types { writer.write(type) }
      for record in found.records { writer.write(record) }
      return Page(name: group.page, text: writer.text)
    }
  }
}

/// Writes pages of the reference, one after the other. A table of options that several functions have stands with the
/// first function of a module; the others refer to it.
private struct PageWriter {
  private struct Row: Hashable {
    let name: String
    let type: String
    let doc: String
  }

  private static let mark = "<!-- Made of the declarations by make docs: a change here is lost. -->"

  private var page = ""
  private var parts: [String] = []
  private var optionTables: [(function: String, page: String, rows: [Row])] = []

  var text: String { parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n" }

  mutating func begin(_ page: String, _ title: String, _ summary: String) {
    self.page = page
    parts = ["# \(title)", summary, Self.mark]
  }

  mutating func write(_ module: HostModule) {
    parts += ["## b2c.\(module.name)", module.doc, module.notes]
    if !module.example.isEmpty { parts.append(code(module.example)) }
    for function in module.functions + module.modules.flatMap(\.functions) { write(function) }
    if !module.fields.isEmpty {
      parts += ["### Fields of b2c.\(module.name)", fields(module.fields, "\(module.name).")]
    }
  }

  mutating func write(_ title: String, _ functions: [HostFunction]) {
    parts.append("## \(title)")
    for function in functions { write(function) }
  }

  mutating func write(_ type: HostType) {
    parts += ["## \(type.name)", type.doc]
    if !type.members.isEmpty { parts.append(fields(type.members, "")) }
    for method in type.methods { write(method) }
  }

  mutating func write(_ record: LuaRecord) {
    parts += ["## \(record.name)", record.doc, fields(record.fields, "")]
    if record.others != nil { parts.append("There may be more fields.") }
  }

  private mutating func write(_ function: HostFunction) {
    parts += [
      "### \(function.name)", "`\(function.signature)`", function.doc + (function.mayWait ? " The call may wait." : ""),
    ]
    let plain = function.shownParameters.filter { $0.type.optionKeys == nil || $0.name != "options" }
    if !plain.isEmpty { parts.append(table("Argument", plain.map { row($0.name, $0.typeWords, $0) })) }
    let options = optionRows(function)
    if !options.isEmpty { parts += optionParts(options, of: function.name) }
    parts += function.results.map { "Returns \($0.words): \(described($0.doc, $0.type))" }
    if !function.example.isEmpty { parts.append(code("local b2c = require \"b2c\"\n\n" + function.example)) }
  }

  mutating func note(_ function: HostFunction, _ page: String) {
    let rows = optionRows(function)
    if rows.count > 2 { optionTables.append((function.name, page, rows)) }
  }

  private func optionRows(_ function: HostFunction) -> [Row] {
    function.parameters.flatMap { $0.type.optionKeys ?? [] }.map { row($0.name, $0.optionWords, $0) }
  }

  private func optionParts(_ rows: [Row], of function: String) -> [String] {
    let earlier = optionTables.prefix { $0.function != function }
    func common(_ other: [Row]) -> Int { other.count { rows.contains($0) } }
    guard let same = earlier.max(by: { common($0.rows) < common($1.rows) }), common(same.rows) * 3 >= rows.count * 2,
      common(same.rows) * 3 >= same.rows.count * 2
    else { return [table("Option", rows)] }
    let name = same.page == page ? "`\(same.function)`" : "[`\(same.function)`](\(same.page).md)"
    let missing = same.rows.filter { old in !rows.contains { $0.name == old.name } }.map { "`\($0.name)`" }
    let others = rows.filter { !same.rows.contains($0) }
    let sentence =
      "The options are those of \(name)" + (missing.isEmpty ? "" : " without \(missing.joined(separator: ", "))")
    return others.isEmpty ? [sentence + "."] : [sentence + ", and these:", table("Option", others)]
  }

  private func fields(_ fields: [Parameter], _ prefix: String) -> String {
    table("Field", fields.map { row(prefix + $0.name, $0.fieldWords, $0) })
  }

  private func row(_ name: String, _ type: String, _ parameter: Parameter) -> Row {
    Row(name: name, type: type, doc: described(parameter.doc, parameter.type))
  }

  private func described(_ doc: String, _ type: LuaType) -> String {
    ([doc] + type.callbacks).filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func table(_ heading: String, _ rows: [Row]) -> String {
    let lines = rows.map { "| `\($0.name)` | \(cell($0.type)) | \(cell($0.doc)) |" }
    return (["| \(heading) | Value | |", "|---|---|---|"] + lines).joined(separator: "\n")
  }

  private func cell(_ text: String) -> String { text.replacing("|", with: "\\|").replacing("\n", with: " ") }

  private func code(_ text: String) -> String { "```lua\n\(text)\n```" }
}
