import Core
import Lua

extension Reference {
  private static let column = 22

  /// The page about `entry`, for a terminal of `width` columns.
  package func page(_ entry: Entry, width: Int) -> String {
    var page = PageText(width: width)
    switch entry {
    case .module(let module): add(module, to: &page)
    case .function(let function): add(function, to: &page)
    case .type(let type): add(type, to: &page)
    case .record(let record): add(record, to: &page)
    case .field(let field, let owner): add(field, of: owner, field.fieldWords, to: &page)
    case .parameter(let parameter, let function): add(parameter, of: function.signature, parameter.typeWords, to: &page)
    }
    return page.text
  }

  private func add(_ module: HostModule, to page: inout PageText) {
    page.add("b2c.\(module.name): \(module.doc)")
    for paragraph in module.notes.plainParagraphs { page.addApart(paragraph) }
    add(module.functions, to: &page)
    for inner in module.modules { add(inner.functions, to: &page) }
    add(module.fields.map { ("\(module.name).\($0.name)", $0) }, to: &page)
    add(example: module.example, to: &page)
    page.addApart("b2c-run help \(module.name).NAME explains a function or a field.")
  }

  private func add(_ type: HostType, to page: inout PageText) {
    page.add("\(type.name): \(type.doc)")
    add(type.members.map { (".\($0.name)", $0) }, to: &page)
    add(type.methods, to: &page)
  }

  private func add(_ record: LuaRecord, to page: inout PageText) {
    page.add("\(record.name): \(record.doc)")
    add(record.fields.map { (".\($0.name)", $0) }, to: &page)
    if record.others != nil { page.addApart("There may be more fields.") }
  }

  private func add(_ parameter: Parameter, of owner: String, _ type: String, to page: inout PageText) {
    page.add("\(parameter.name), of \(owner)")
    page.addApart("\(type). \(parameter.doc.plain)", indent: 2)
    // The way to call functions, and the fields of records.
    for callback in parameter.type.callbacks { page.addApart(callback, indent: 2) }
    for record in parameter.type.recordsAround {
      page.addApart("\(record.name): \(record.doc)", indent: 2)
      add(record.fields, to: &page)
    }
  }

  private func add(_ functions: [HostFunction], to page: inout PageText) {
    guard !functions.isEmpty else { return }
    page.addBreak()
    for function in functions {
      page.add(function.signature, indent: 2)
      page.add(function.doc.plain, indent: 6)
    }
  }

  private func add(_ fields: [(name: String, field: Parameter)], to page: inout PageText) {
    guard !fields.isEmpty else { return }
    page.addBreak()
    for (name, field) in fields { page.add(name, "\(field.fieldWords). \(field.doc.plain)", column: Self.column) }
  }

  private func add(_ function: HostFunction, to page: inout PageText) {
    page.add(function.signature)
    page.addApart(function.doc.plain, indent: 2)
    for parameter in function.shownParameters {
      page.addApart("\(parameter.name): \(parameter.typeWords)", indent: 2)
      page.add(parameter.doc.plain, indent: 6)
      for callback in parameter.type.callbacks { page.add(callback, indent: 6) }
      for key in parameter.type.optionKeys ?? [] {
        page.add(key.name, "\(key.optionWords). \(key.doc.plain)", indent: 6, column: Self.column + 4)
      }
      for record in parameter.type.records { page.add(contents(record), indent: 6) }
    }
    for result in function.results {
      page.addApart("returns \(result.words). \(result.doc.plain)", indent: 2)
      for callback in result.type.callbacks { page.add(callback, indent: 6) }
      for record in result.type.records { add(record.fields, to: &page) }
    }
    if function.mayWait { page.addApart("The call may wait; other coroutines keep running.", indent: 2) }
    add(example: function.example, to: &page)
  }

  private func add(_ fields: [Parameter], to page: inout PageText) {
    for field in fields {
      page.add(field.name, "\(field.fieldWords). \(field.doc.plain)", indent: 6, column: Self.column + 4)
    }
  }

  private func contents(_ record: LuaRecord) -> String {
    "\(record.name.first?.uppercased() ?? "")\(record.name.dropFirst()): { "
      + record.fields.map(\.name).joined(separator: ", ") + (record.others == nil ? " }" : ", … }")
  }

  private func add(example: String, to page: inout PageText) {
    guard !example.isEmpty else { return }
    page.addApart("for example", indent: 2)
    page.addBreak()
    page.add(code: example, indent: 6)
  }
}
