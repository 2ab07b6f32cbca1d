import Core
package import Lua

/// Everything that scripts can call and hold, by name. Help, completion, the stubs and the API's reference are made of it.
package struct Reference: Sendable {
  /// The meaning of a name.
  package enum Entry: Sendable {
    case module(HostModule)
    /// A function of a module, or a method.
    case function(HostFunction)
    case type(HostType)
    case record(LuaRecord)
    /// A field of what has that name.
    case field(Parameter, of: String)
    /// A parameter of a function, or an option.
    case parameter(Parameter, of: HostFunction)
  }

  /// The modules of `b2c`, in the order of the documentation.
  package let modules: [HostModule]
  package let types: [HostType]
  /// The functions of `b2c` itself: `job`.
  package let rootFunctions: [HostFunction]
  /// The global functions of test files: `expect`.
  package let globals: [HostFunction]
  /// Every record that stands in a declaration, in the order in which they are met.
  package let records: [LuaRecord]
  /// Every name, in the order of the declarations.
  package private(set) var names: [String] = []
  private var entries: [String: Entry] = [:]

  /// - Parameter records: those that stand in no declaration of a function.
  package init(
    modules: [HostModule], types: [HostType], functions: [HostFunction] = [], globals: [HostFunction] = [],
    records: [LuaRecord] = []
  ) {
    self.modules = modules
    self.types = types
    rootFunctions = functions
    self.globals = globals
    var contents = PageContents(types)
    for module in modules { contents.visit(module) }
    for type in types { contents.visit(.object(type.name)) }
    for function in functions + globals { contents.visit(function) }
    for record in records { contents.visit(.record(record)) }
    self.records = contents.taken().records
    for module in modules { add(module) }
    for function in functions + globals { add(function) }
    for type in types {
      add(type.identifier, .type(type))
      for field in type.members { add("\(type.identifier).\(field.name)", .field(field, of: type.name)) }
      for method in type.methods { add(method) }
    }
    for record in self.records {
      add(record.identifier, .record(record))
      for field in record.fields { add("\(record.identifier).\(field.name)", .field(field, of: record.name)) }
    }
  }

  private mutating func add(_ module: HostModule) {
    add(module.name, .module(module))
    for function in module.functions { add(function) }
    for field in module.fields { add("\(module.name).\(field.name)", .field(field, of: module.name)) }
    for module in module.modules { add(module) }
  }

  private mutating func add(_ function: HostFunction) {
    add(function.name, .function(function))
    for parameter in function.shownParameters {
      guard let keys = parameter.type.optionKeys else {
        add("\(function.name).\(parameter.name)", .parameter(parameter, of: function))
        continue
      }
      for key in keys { add("\(function.name).\(key.name)", .parameter(key, of: function)) }
    }
  }

  /// The first who has a name keeps it: the module `settings`, not the type.
  private mutating func add(_ name: String, _ entry: Entry) {
    guard entries[name] == nil else { return }
    entries[name] = entry
    names.append(name)
  }

  /// The entry of `tasks`, `b2c.tasks.add`, `account`, `account:token` or `account.token`, `task.text`, `tasks.import.map`.
  package subscript(_ name: String) -> Entry? {
    let name = name.hasPrefix("b2c.") ? String(name.dropFirst(4)) : name
    if let entry = entries[name] ?? entries[name.replacing(" ", with: "_")] { return entry }
    return entries[name.replacing(".", with: ":", maxReplacements: 1)]
  }

  /// The names of modules, functions, methods, types and records, which have pages of their own.
  package var topics: [String] {
    names.filter { name in
      switch entries[name] {
      case .module, .function, .type, .record: true
      case .field, .parameter, nil: false
      }
    }
  }

  /// The name that `name` may have been meant to be.
  package func nearest(to name: String) -> String? {
    nearestName(to: name.hasPrefix("b2c.") ? String(name.dropFirst(4)) : name, in: names)
  }

  /// Every module, with those that others hold.
  package var allModules: [HostModule] {
    func withInner(_ module: HostModule) -> [HostModule] { [module] + module.modules.flatMap(withInner) }
    return modules.flatMap(withInner)
  }

  package var functions: [HostFunction] {
    rootFunctions + allModules.flatMap(\.functions) + types.flatMap(\.methods) + globals
  }
}

extension LuaRecord {
  /// As a name in code: `token_response`.
  package var identifier: String { name.replacing(" ", with: "_").replacing("-", with: "_").lowercased() }
}

extension HostType {
  /// As a name in code: `flow_context`.
  package var identifier: String { name.replacing(" ", with: "_") }

  /// Properties and fields, as declared.
  package var members: [Parameter] {
    properties.map { Parameter($0.name, $0.type, optional: $0.isOptional, $0.doc) } + fields
  }
}
