import Core
package import HostLoop

/// The arguments of one call, checked against the function's parameters: what a body reads has the declared type.
package struct Arguments: Sendable {
  package let values: [LuaValue]
  /// The keys of the options table, if the function takes one.
  package let options: [String: LuaValue]
  package let function: HostFunction
  package let state: LuaState
  /// The object whose function was called, where that is given without the object: `expectation.to_equal`.
  package internal(set) var receiver: (any LuaObject)?

  init(values: [LuaValue], options: [String: LuaValue], _ function: HostFunction, _ state: LuaState) {
    self.values = values
    self.options = options
    self.function = function
    self.state = state
  }

  /// Missing arguments are nil.
  package subscript(_ index: Int) -> LuaValue { index < values.count ? values[index] : .nil }
  /// The value of the option; nil if it is not given.
  package subscript(_ option: String) -> LuaValue { options[option] ?? .nil }

  /// The text of a parameter that was declared a string.
  package func string(_ index: Int) -> String { self[index].string ?? "" }
  /// The path in a parameter that was declared a string.
  package func path(_ index: Int) -> String { self[index].path ?? "" }
  /// The value of a parameter that was declared a number.
  package func number(_ index: Int) -> Double { self[index].number ?? 0 }

  /// The host object at `index`.
  @HostActor package func object<T: LuaObject>(_ index: Int, as type: T.Type = T.self) throws(LuaError) -> T {
    guard case .object(let object) = self[index], let object = object as? T else {
      throw invalid(index, expected: "\(type.luaType.name)", got: self[index])
    }
    return object
  }

  /// An error that names this function and the argument at `index`.
  @HostActor package func invalid(_ index: Int, expected: String, got value: LuaValue) -> LuaError {
    Self.invalid(function, index, "expected \(expected), got \(value.typeName)")
  }

  /// An error that names this function: `tasks.add: …`.
  package func failure(_ message: String, hint: String? = nil) -> LuaError {
    LuaError(code: "invalid_argument", message: "\(function.name): \(message)", hint: hint)
  }

  /// An error that names this function and the option: `tasks.import: option 'rate': …`.
  package func failure(option: String, _ problem: String, hint: String? = nil) -> LuaError {
    var error = failure("option '\(option)': \(problem)", hint: hint)
    error.subject = LuaError.Subject(function.name, option: option, problem)
    return error
  }

  /// `error`, which is about the value of an option.
  package func failure(option: String, _ error: any Error) -> LuaError {
    var error = LuaError(error)
    error.subject = LuaError.Subject(function.name, option: option, error.message)
    return error
  }

  /// Begins messages about the value of an argument: `jose.verify: argument 2: keys`.
  package func place(_ index: Int) -> String {
    let position = function.name.contains(":") ? index : index + 1
    let name = index < function.parameters.count ? function.parameters[index].name : "the value"
    return "\(function.name): argument \(position): \(name)"
  }

  /// Begins messages about the value of an option: `http.post: option 'json'`.
  package func place(option: String) -> String { "\(function.name): option '\(option)'" }

  static func invalid(_ function: HostFunction, _ index: Int, _ problem: String) -> LuaError {
    if function.name.contains(":"), index == 0 {
      return LuaError(
        code: "invalid_argument", message: "\(function.name): \(problem)",
        hint: "call it with a colon: \(function.name)()")
    }
    let position = function.name.contains(":") ? index : index + 1
    return LuaError(
      code: "invalid_argument", message: "\(function.name): argument \(position): \(problem)",
      subject: LuaError.Subject(function.name, argument: position, problem))
  }
}

extension Arguments {
  @HostActor
  init(checking values: inout [LuaValue], for function: HostFunction, _ state: LuaState) throws(LuaError) {
    var options: [String: LuaValue] = [:]
    for (index, parameter) in function.parameters.enumerated() {
      let value = index < values.count ? values[index] : .nil
      if value.isNil {
        guard !parameter.isOptional else { continue }
        if case .any = parameter.type, index < values.count { continue }
      } else if parameter.type.accepts(value) {
        if let problem = parameter.problem(with: value) { throw Self.invalid(function, index, problem) }
        if case .table(let table) = value {
          table.place = ValuePlace(function, argument: index)
          if parameter.type.hasContents { try table.demandPlain() }
          if let keys = parameter.type.optionKeys { options = try Self.options(of: table, keys, for: function) }
        }
        continue
      }
      let got = index < values.count ? Self.describe(value, for: parameter.type) : "nothing"
      throw Self.invalid(function, index, "expected \(parameter.type.phrase), got \(got)")
    }
    if values.count > function.parameters.count, !function.isVariadic {
      // Lua ignores surplus arguments, and so does every function here; nil or not.
      values.removeLast(values.count - function.parameters.count)
    }
    self.init(values: values, options: options, function, state)
  }

  /// Checks the options of `function` in a table that came another way. `noun` names an entry of it in messages.
  @HostActor
  package init(
    options table: LuaTable, of function: HostFunction, _ state: LuaState, noun: String = "option"
  ) throws(LuaError) {
    let keys = function.parameters.lazy.compactMap(\.type.optionKeys).first ?? []
    self.init(values: [], options: try Self.options(of: table, keys, for: function, noun), function, state)
  }

  @HostActor
  private static func options(
    of table: LuaTable, _ keys: [Parameter], for function: HostFunction, _ noun: String = "option"
  ) throws(LuaError) -> [String: LuaValue] {
    func failure(
      _ name: String, _ message: String, _ problem: String, code: String = "invalid_argument", hint: String? = nil
    ) -> LuaError {
      LuaError(
        code: code, message: "\(function.name): \(message)", hint: hint,
        subject: LuaError.Subject(function.name, option: name, problem))
    }
    var options: [String: LuaValue] = [:]
    for pair in try table.pairs {
      guard let name = pair.key.string else {
        throw LuaError(
          code: "invalid_argument", message: "\(function.name): \(noun)s have names, got a \(pair.key.typeName) as key")
      }
      guard let key = keys.first(where: { $0.name == name }) else {
        let known = keys.map(\.name)
        let owner = function.parameters.first { $0.type.fields.contains { $0.name == name } }
        throw failure(
          name, "unknown \(noun) '\(name)'", "unknown \(noun)", code: "unknown_option",
          hint: owner.map { "'\(name)' is a field of the argument \($0.name): give it in a table there" }
            ?? nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
            ?? "known are \(known.joined(separator: ", "))")
      }
      let isAccepted = key.type.accepts(pair.value)
      if let problem = isAccepted
        ? key.problem(with: pair.value)
        : "expected \(key.type.phrase), got \(describe(pair.value, for: key.type))"
      {
        throw failure(name, "\(noun) '\(name)': \(problem)", problem)
      }
      if case .table(let table) = pair.value {
        table.place = ValuePlace(function, argument: 0, option: name, noun: noun)
        if key.type.hasContents { try table.demandPlain() }
      }
      options[name] = pair.value
    }
    for key in keys where !key.isOptional && options[key.name] == nil {
      let problem = "is missing: expected \(key.type.phrase)"
      throw failure(key.name, "\(noun) '\(key.name)' \(problem)", problem)
    }
    return options
  }

  /// The type, or the value itself where the type was right and the value was not.
  @HostActor private static func describe(_ value: LuaValue, for type: LuaType) -> String {
    switch (type, value) {
    case (_, .bytes) where type.hasChoices: "\"\(value.string ?? "")\""
    case (.integer, .number(let number)): "\(number)"
    default: value.typeName
    }
  }
}

extension LuaType {
  /// True if a value that came from Lua fits.
  @HostActor package func accepts(_ value: LuaValue) -> Bool {
    switch (self, value) {
    case (.any, _), (.boolean, .boolean), (.string, .bytes), (.openChoice, .bytes), (.table, .table),
      (.options, .table),
      (.function, .function), (.callback, .function), (.record, .table), (.list, .table), (.map, .table):
      true
    case (.integer, _): value.integer != nil
    case (.number, _): value.number != nil
    case (.object(let name), .object): value.typeName == name
    case (.choice(let names), .bytes): names.contains(value.string ?? "")
    case (.either(let types), _): types.contains { $0.accepts(value) }
    default: false
    }
  }
}
