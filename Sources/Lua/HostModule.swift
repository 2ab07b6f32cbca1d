import CLuaShims
import HostLoop

/// A module that scripts see, declared once.
package struct HostModule: Sendable {
  /// As in `b2c.tasks`: `tasks`. A module in another's field has both names: `tenant.users`.
  package let name: String
  /// The purpose of the module, in a sentence.
  package let doc: String
  /// Further paragraphs in Markdown, between empty lines.
  package let notes: String
  /// Lua code that shows its use: a whole script, run with the local tenant; empty where none is needed.
  package let example: String
  package let functions: [HostFunction]
  /// The fields that are computed when they are read.
  package let fields: [Parameter]
  package let modules: [HostModule]
  /// Computes one of `fields`; nil for a name that is not there.
  package let field: (@HostActor @Sendable (_ name: String, LuaState) throws -> LuaValue)?

  package init(
    _ name: String, _ doc: String, notes: String = "", example: String = "", _ functions: [HostFunction],
    fields: [Parameter] = [], modules: [HostModule] = [],
    field: (@HostActor @Sendable (_ name: String, LuaState) throws -> LuaValue)? = nil
  ) {
    self.name = name
    self.doc = doc
    self.notes = notes
    self.example = example
    self.functions = functions
    self.fields = fields
    self.modules = modules
    self.field = field
  }

  /// The name in the table that holds the module: `users` of `tenant.users`.
  package var shortName: String {
    String(name[(name.lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...])
  }
}

extension LuaState {
  /// A read-only table of `members`: reading goes to them, then to `field`; writing is an error.
  /// - Parameter keepsFields: true if the value of a field is computed once, when it is first read.
  package func readOnlyTable(
    _ name: String, _ members: [(name: String, value: LuaValue)],
    fieldNames: [String] = [], keepsFields: Bool = false,
    field: (@HostActor @Sendable (_ name: String, LuaState) throws -> LuaValue)? = nil
  ) -> LuaTable {
    let contents = makeTable()
    for member in members { contents[member.name] = member.value }
    let read: @HostActor @Sendable (String, LuaState) throws -> LuaValue = { key, state in
      let value = try field?(key, state) ?? .nil
      if keepsFields { contents[key] = value }
      return value
    }
    let known = members.map(\.name) + fieldNames
    let fallback = makeTable()
    fallback["__index"] = metamethod(name) { arguments in
      guard let key = arguments[1].string else { return .nil }
      let value = try read(key, arguments.state)
      if value.isNil { arguments.state.miss(key, in: name, known) }
      return value
    }
    contents.metatable = fallback
    let metatable = makeTable()
    metatable["__index"] = .table(contents)
    metatable["__name"] = .string(name)
    metatable["__metatable"] = .boolean(false)
    metatable["__newindex"] = metamethod(name) { arguments in
      throw LuaError(
        code: "read_only",
        message: "\(name) is read-only: cannot set '\(arguments[1].string ?? arguments[1].typeName)'")
    }
    metatable["__pairs"] = pairsMethod { _, state in
      let copy = state.makeTable()
      for pair in try contents.pairs { copy[pair.key] = pair.value }
      for key in fieldNames where copy[key].isNil { copy[key] = try read(key, state) }
      return copy
    }
    reserve(2, on: stack)
    metatable.push(onto: stack)
    luas_markreadonly(stack)
    luas_pop(stack, 1)
    let proxy = makeTable()
    proxy.metatable = metatable
    return proxy
  }

  /// A metamethod, which gets three arguments at the most and returns one value.
  func metamethod(_ name: String, _ body: @escaping @HostActor @Sendable (Arguments) throws -> LuaValue) -> LuaValue {
    .function(function(HostFunction(name, "", [.any("object"), .any("key"), .any("value")]) { [try body($0)] }))
  }

  /// `__pairs`: goes through the table that `body` makes of the object.
  func pairsMethod(_ body: @escaping @HostActor @Sendable (LuaValue, LuaState) throws -> LuaTable) -> LuaValue {
    .function(
      function(
        HostFunction("pairs", "", [.any("object")]) { arguments in
          let copy = try body(arguments[0], arguments.state)
          return [arguments.state.globals["next"], .table(copy), .nil]
        }))
  }

  /// The table of `module`.
  package func table(of module: HostModule) -> LuaTable {
    let functions = module.functions.map { (name: $0.shortName, value: LuaValue.function(function($0))) }
    let modules = module.modules.map { (name: $0.shortName, value: LuaValue.table(table(of: $0))) }
    return readOnlyTable(
      "b2c.\(module.name)", functions + modules, fieldNames: module.fields.map(\.name), field: module.field)
  }
}
