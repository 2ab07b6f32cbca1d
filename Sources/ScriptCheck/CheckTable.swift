import Documentation
import HostLoop
import Lua

/// The declarations of the API as the check, which is written in Lua, has them: types are tables with a `kind`.
@HostActor
struct CheckTable {
  private let reference: Reference

  init(_ reference: Reference) { self.reference = reference }

  var value: LuaValue {
    let modules = [("", module(root)), (Self.testTable, module(testMembers))]
    let test = LuaValue.record([("kind", .string("module")), ("name", .string(Self.testTable))])
    let testGlobals = reference.globals.filter { $0.name == $0.shortName }.map { ($0.name, function($0)) }
    return .record([
      ("modules", .record(modules + reference.allModules.map { ($0.name, module(members($0))) })),
      ("objects", .record(reference.types.map { ($0.name, object($0)) })),
      ("records", .record(reference.records.map { ($0.name, record($0)) })),
      (
        "globals",
        .record([
          ("require", .record([("kind", .string("require")), ("modules", required)])),
          ("assert", .record([("kind", .string("assert"))])),
        ])
      ),
      (
        "test_globals",
        .record(
          testGlobals + [("test", test), ("b2c", rootType)] + reference.modules.map { ($0.name, moduleType($0)) })
      ),
    ])
  }

  /// The name of the global `test` of test files in the check; no module of the API has such a name.
  private static let testTable = "(test)"

  private var testMembers: [(name: String, value: LuaValue)] {
    reference.globals.filter { $0.name != $0.shortName }.map { ($0.shortName, function($0)) }
  }

  private var rootType: LuaValue { .record([("kind", .string("module")), ("name", .string(""))]) }

  private var required: LuaValue {
    .record(
      [("b2c", rootType), ("b2c.args", .record([("kind", .string("any"))]))]
        + reference.modules.map { ("b2c.\($0.name)", moduleType($0)) })
  }

  private var root: [(name: String, value: LuaValue)] {
    reference.rootFunctions.map { ($0.name, function($0)) }
      + reference.modules.map { ($0.name, moduleType($0)) } + [("args", .record([("kind", .string("any"))]))]
  }

  /// Some modules are objects.
  private func moduleType(_ module: HostModule) -> LuaValue {
    let isObject = reference.types.contains { $0.name == module.name }
    return .record([("kind", .string(isObject ? "object" : "module")), ("name", .string(module.name))])
  }

  private func module(_ members: [(name: String, value: LuaValue)]) -> LuaValue {
    .record([("members", .record(members))])
  }

  private func members(_ module: HostModule) -> [(name: String, value: LuaValue)] {
    module.functions.map { ($0.shortName, function($0)) } + module.fields.map { ($0.name, type($0.type)) }
      + module.modules.map { ($0.shortName, moduleType($0)) }
  }

  private func object(_ object: HostType) -> LuaValue {
    let module = reference.modules.first { $0.name == object.name }
    let own = object.members.map { ($0.name, type($0.type)) } + object.methods.map { ($0.shortName, function($0)) }
    return .record([
      ("members", .record((module.map(members) ?? []) + own)),
      // A function that computes fields may know more of them; a function that only refuses has declared none.
      ("open", .boolean(object.field != nil && !object.fields.isEmpty)),
    ])
  }

  private func record(_ record: LuaRecord) -> LuaValue {
    .record([
      ("members", .record(record.fields.map { ($0.name, parameter($0)) })),
      ("open", record.others.map { type($0) } ?? .nil),
    ])
  }

  private func function(_ function: HostFunction) -> LuaValue {
    .record([
      ("kind", .string("api")), ("name", .string(function.name)), ("method", .boolean(function.isMethod)),
      ("waits", .boolean(function.mayWait)), ("variadic", .boolean(function.isVariadic)),
      ("parameters", .list(function.shownParameters.map { parameter($0) })),
      ("results", .list(function.results.map { type($0.type) })),
    ])
  }

  private func parameter(_ parameter: Parameter) -> LuaValue {
    type(parameter.type, isRequired: !parameter.isOptional)
  }

  private func type(_ type: LuaType, isRequired: Bool = false) -> LuaValue {
    let (kind, more) = form(of: type)
    return .record(
      [("phrase", .string(type.description)), ("required", .boolean(isRequired)), ("kind", .string(kind))] + more)
  }

  private func form(of type: LuaType) -> (kind: String, fields: [(name: String, value: LuaValue)]) {
    func words(_ words: [String]) -> LuaValue { .list(words.map { .string($0) }) }
    return switch type {
    case .any, .boolean, .integer, .number, .string, .table, .function: ("\(type)", [])
    case .object(let name): ("object", [("name", .string(name))])
    case .choice(let known): ("choice", [("words", words(known))])
    case .openChoice(let known): ("choice", [("words", words(known)), ("open", .boolean(true))])
    case .either(let types): ("either", [("parts", .list(types.map { self.type($0) }))])
    case .options(let keys): ("options", [("members", .record(keys.map { ($0.name, parameter($0)) }))])
    case .record(let record): ("record", [("name", .string(record.name))])
    case .list(let element): ("list", [("element", self.type(element))])
    case .map(let element): ("map", [("element", self.type(element))])
    case .callback(let parameters, let results):
      (
        "callback",
        [
          ("parameters", .list(parameters.map { .record([("type", parameter($0))]) })),
          ("results", .list(results.map { self.type($0.type) })),
        ]
      )
    }
  }
}
