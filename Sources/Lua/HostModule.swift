import HostLoop

/// A module that scripts see, declared once.
package struct HostModule: Sendable {
  /// As in `b2c.tasks`: `tasks`.
  package let name: String
  package let doc: String
  package let functions: [HostFunction]
  /// Fields that are computed when they are read; nil for a name that is not there.
  package let field: (@HostActor @Sendable (_ name: String, LuaState) throws -> LuaValue)?
  /// The names `field` knows, for `pairs` and help.
  package let fieldNames: [String]

  package init(
    _ name: String, _ doc: String, _ functions: [HostFunction],
    fieldNames: [String] = [],
    field: (@HostActor @Sendable (_ name: String, LuaState) throws -> LuaValue)? = nil
  ) {
    self.name = name
    self.doc = doc
    self.functions = functions
    self.field = field
    self.fieldNames = fieldNames
  }
}

extension LuaState {
  /// A read-only table of `members`: reading goes to them, then to `field`; writing is an error.
  package func readOnlyTable(
    _ name: String, _ members: [(name: String, value: LuaValue)],
    fieldNames: [String] = [],
    field: (@HostActor @Sendable (_ name: String, LuaState) throws -> LuaValue)? = nil
  ) -> LuaTable {
    let contents = makeTable()
    for member in members { contents[member.name] = member.value }
    if let field {
      let fallback = makeTable()
      fallback["__index"] = .function(
        function(
          HostFunction(name, "", [.any("table"), .any("key")]) { arguments in
            guard let key = arguments[1].string else { return [.nil] }
            return [try field(key, arguments.state)]
          }))
      contents.metatable = fallback
    }
    let metatable = makeTable()
    metatable["__index"] = .table(contents)
    metatable["__name"] = .string(name)
    metatable["__metatable"] = .boolean(false)
    metatable["__newindex"] = .function(
      function(
        HostFunction(name, "", [.any("table"), .any("key"), .any("value")]) { arguments in
          throw LuaError(
            code: "read_only",
            message: "\(name) is read-only: cannot set '\(arguments[1].string ?? arguments[1].typeName)'")
        }))
    metatable["__pairs"] = .function(
      function(
        HostFunction("pairs", "", [.any("table")]) { arguments in
          let copy = arguments.state.makeTable()
          for pair in contents.pairs { copy[pair.key] = pair.value }
          for key in fieldNames { copy[key] = try field?(key, arguments.state) ?? .nil }
          return [arguments.state.globals["next"], .table(copy), .nil]
        }))
    let proxy = makeTable()
    proxy.metatable = metatable
    return proxy
  }

  /// The table of `module`.
  package func table(of module: HostModule) -> LuaTable {
    readOnlyTable(
      "b2c.\(module.name)", module.functions.map { ($0.shortName, .function(function($0))) },
      fieldNames: module.fieldNames, field: module.field)
  }
}
