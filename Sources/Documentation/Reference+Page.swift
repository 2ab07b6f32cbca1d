import Lua

extension Reference {
  /// The column of descriptions.
  private static let column = 22

  /// The page about `entry`, for a terminal of `width` columns.
  package func page(_ entry: Entry, width: Int) -> String {
    var page = PageText(width: width)
    switch entry {
    case .module(let module): add(module, to: &page)
    case .function(let function): add(function, to: &page)
    case .type(let type): add(type, to: &page)
    case .record(let record): add(record, to: &page)
    case .field(let field, let owner):
      page.add("\(field.name), of \(owner)")
      page.addBreak()
      page.add("\(field.fieldWords). \(field.doc.plain)", indent: 2)
      addDetails(of: field.type, to: &page)
    case .parameter(let parameter, let function):
      page.add("\(parameter.name), of \(function.signature)")
      page.addBreak()
      page.add("\(parameter.typeWords). \(parameter.doc.plain)", indent: 2)
      addDetails(of: parameter.type, to: &page)
    }
    return page.text
  }

  private func add(_ module: HostModule, to page: inout PageText) {
    page.add("b2c.\(module.name): \(module.doc)")
    for paragraph in module.notes.plainParagraphs {
      page.addBreak()
      page.add(paragraph)
    }
    add(module.functions, to: &page)
    for inner in module.modules { add(inner.functions, to: &page) }
    add(module.fields.map { ("\(module.name).\($0.name)", $0) }, to: &page)
    add(example: module.example, to: &page)
    page.addBreak()
    page.add("b2c-run help \(module.name).NAME explains a function or a field.")
  }

  private func add(_ type: HostType, to page: inout PageText) {
    page.add("\(type.name): \(type.doc)")
    add(type.members.map { (".\($0.name)", $0) }, to: &page)
    add(type.methods, to: &page)
  }

  private func add(_ record: LuaRecord, to page: inout PageText) {
    page.add("\(record.name): \(record.doc)")
    add(record.fields.map { (".\($0.name)", $0) }, to: &page)
    if record.others != nil {
      page.addBreak()
      page.add("There may be more fields.")
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
    page.addBreak()
    page.add(function.doc.plain, indent: 2)
    for parameter in function.shownParameters {
      page.addBreak()
      page.add("\(parameter.name): \(parameter.typeWords)", indent: 2)
      page.add(parameter.doc.plain, indent: 6)
      for callback in parameter.type.callbacks { page.add(callback, indent: 6) }
      for key in parameter.type.optionKeys ?? [] {
        page.add(key.name, "\(key.optionWords). \(key.doc.plain)", indent: 6, column: Self.column + 4)
      }
      for record in parameter.type.records { page.add(contents(record), indent: 6) }
    }
    for result in function.results {
      page.addBreak()
      page.add("returns \(result.words). \(result.doc.plain)", indent: 2)
      for callback in result.type.callbacks { page.add(callback, indent: 6) }
      for record in result.type.records {
        for field in record.fields {
          page.add(field.name, "\(field.fieldWords). \(field.doc.plain)", indent: 6, column: Self.column + 4)
        }
      }
    }
    if function.mayWait {
      page.addBreak()
      page.add("The call may wait; other coroutines keep running.", indent: 2)
    }
    add(example: function.example, to: &page)
  }

  /// How functions are called, and what records have in them.
  private func addDetails(of type: LuaType, to page: inout PageText) {
    for callback in type.callbacks {
      page.addBreak()
      page.add(callback, indent: 2)
    }
    for record in type.recordsAround {
      page.addBreak()
      page.add("\(record.name): \(record.doc)", indent: 2)
      for field in record.fields {
        page.add(field.name, "\(field.fieldWords). \(field.doc.plain)", indent: 6, column: Self.column + 4)
      }
    }
  }

  private func contents(_ record: LuaRecord) -> String {
    "\(record.name.first?.uppercased() ?? "")\(record.name.dropFirst()): { "
      + record.fields.map(\.name).joined(separator: ", ") + (record.others == nil ? " }" : ", … }")
  }

  private func add(example: String, to page: inout PageText) {
    guard !example.isEmpty else { return }
    page.addBreak()
    page.add("for example", indent: 2)
    page.addBreak()
    page.add(code: example, indent: 6)
  }
}
