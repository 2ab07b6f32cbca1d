import Lua

/// Finds the objects and tables that declarations name, directly or through others. Each is found once.
struct PageContents {
  private let objects: [String: HostType]
  private var names: Set<String> = []
  private var found: (types: [HostType], records: [LuaRecord]) = ([], [])

  init(_ types: [HostType]) { objects = Dictionary(types.map { ($0.name, $0) }) { first, _ in first } }

  /// Returns everything found since the last call.
  mutating func taken() -> (types: [HostType], records: [LuaRecord]) {
    defer { found = ([], []) }
    return found
  }

  mutating func visit(_ module: HostModule) {
    for function in module.functions { visit(function) }
    for field in module.fields { visit(field.type) }
    for module in module.modules { visit(module) }
  }

  mutating func visit(_ function: HostFunction) {
    for parameter in function.parameters { visit(parameter.type) }
    for result in function.results { visit(result.type) }
  }

  mutating func visit(_ type: LuaType) {
    switch type {
    case .record(let record):
      guard names.insert("record \(record.name)").inserted else { return }
      found.records.append(record)
    case .object(let name):
      guard let object = objects[name], names.insert("object \(name)").inserted else { return }
      found.types.append(object)
      for member in object.members { visit(member.type) }
      for method in object.methods { visit(method) }
    default: break
    }
    for part in type.parts { visit(part) }
  }
}
