import Lua

/// Finds the records in declarations, each once.
struct RecordSearch {
  private var records: [LuaRecord] = []
  private var names: Set<String> = []

  static func records(
    _ modules: [HostModule], _ types: [HostType], _ further: [LuaRecord], globals: [HostFunction] = []
  ) -> [LuaRecord] {
    var search = RecordSearch()
    for module in modules { search.visit(module) }
    for type in types {
      for member in type.members { search.visit(member.type) }
      for method in type.methods { search.visit(method) }
    }
    for function in globals { search.visit(function) }
    for record in further { search.visit(.record(record)) }
    return search.records
  }

  private mutating func visit(_ module: HostModule) {
    for function in module.functions { visit(function) }
    for field in module.fields { visit(field.type) }
    for module in module.modules { visit(module) }
  }

  private mutating func visit(_ function: HostFunction) {
    for parameter in function.parameters { visit(parameter.type) }
    for result in function.results { visit(result.type) }
  }

  private mutating func visit(_ type: LuaType) {
    if case .record(let record) = type {
      guard names.insert(record.name).inserted else { return }
      records.append(record)
    }
    for part in type.parts { visit(part) }
  }
}
