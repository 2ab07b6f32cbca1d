package import Core
package import HostLoop
package import Lua

/// An option table, declared once: its fields are the keys of help, stubs, checks and completion, and they decode the table.
package protocol LuaOptions: Sendable {
  /// The values if no option is given.
  init()
  /// The options, in the order of the documentation.
  static var fields: [OptionField<Self>] { get }
}

extension LuaOptions {
  package typealias Field = OptionField<Self>

  /// The declaration of the options.
  package static var keys: [Parameter] { fields.map(\.parameter) }

  /// Decodes the options of a call.
  @HostActor package init(_ arguments: Arguments) throws { try self.init(arguments.options, of: arguments) }

  /// Decodes options of the same function that come from several tables.
  @HostActor package init(_ options: [String: LuaValue], of arguments: Arguments) throws {
    self.init()
    for field in Self.fields {
      guard let value = options[field.parameter.name], !value.isNil else { continue }
      try field.read(value, OptionPlace(field.parameter.name, arguments), &self)
    }
  }
}

/// An option: its declaration, and the property that gets its value.
package struct OptionField<Options>: Sendable {
  package private(set) var parameter: Parameter
  let read: @HostActor @Sendable (LuaValue, OptionPlace, inout Options) throws -> Void

  /// An option whose value is read by a function.
  package init<Value>(
    _ name: String, _ property: WritableKeyPath<Options, Value>, _ type: LuaType, isRequired: Bool = false,
    in range: ClosedRange<Double> = Parameter.exact, _ doc: String,
    read: @escaping @HostActor @Sendable (LuaValue, OptionPlace) throws -> Value
  ) {
    let property = SendablePath(path: property)
    parameter = Parameter(name, type, optional: !isRequired, in: range, doc)
    self.read = { $2[keyPath: property.path] = try read($0, $1) }
  }

  /// An option that may be missing.
  package init<Value: LuaReadable>(
    _ name: String, _ property: WritableKeyPath<Options, Value?>, _ type: LuaType,
    in range: ClosedRange<Double> = Parameter.exact, _ doc: String
  ) {
    self.init(name, property, type, in: range, doc) { value, _ in Value.read(value) }
  }

  /// An option that may be missing. Its type follows from the property.
  package init<Value: LuaReadable>(
    _ name: String, _ property: WritableKeyPath<Options, Value?>, in range: ClosedRange<Double> = Parameter.exact,
    _ doc: String
  ) {
    self.init(name, property, Value.readType, in: range, doc)
  }

  /// An option that may be missing: the property then keeps its value.
  package init<Value: LuaReadable>(
    _ name: String, _ property: WritableKeyPath<Options, Value>, in range: ClosedRange<Double> = Parameter.exact,
    _ doc: String
  ) {
    self.init(required: name, property, in: range, doc)
    parameter = Parameter(name, Value.readType, optional: true, in: range, doc)
  }

  /// An option that must be given. Its type follows from the property.
  package init<Value: LuaReadable>(
    required name: String, _ property: WritableKeyPath<Options, Value>,
    in range: ClosedRange<Double> = Parameter.exact, _ doc: String
  ) {
    let property = SendablePath(path: property)
    parameter = Parameter(name, Value.readType, in: range, doc)
    read = { value, _, options in
      if let value = Value.read(value) { options[keyPath: property.path] = value }
    }
  }

  /// An option with a list of strings, or one string of words.
  package static func words(
    _ name: String, _ property: WritableKeyPath<Options, [String]?>, _ doc: String
  ) -> OptionField {
    OptionField(name, property, .words, doc) { try $1.words($0) }
  }

  /// An option with one of the words of an enumeration.
  package static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ property: WritableKeyPath<Options, Choice?>, _ doc: String
  ) -> OptionField {
    OptionField(name, property, .choice(Choice.allCases.map(\.rawValue)), doc) { value, _ in
      value.string.flatMap { Choice(rawValue: $0) }
    }
  }

  /// An option that another part of the call reads.
  package init(declared parameter: Parameter) { self.init(parameter) { _, _, _ in } }

  private init(
    _ parameter: Parameter, _ read: @escaping @HostActor @Sendable (LuaValue, OptionPlace, inout Options) throws -> Void
  ) {
    self.parameter = parameter
    self.read = read
  }

  /// The same option, which a command line may have, too.
  package func flag(
    _ spelling: String, _ doc: String, words: KeyValuePairs<String, Bool> = [:], isMany: Bool = false
  ) -> OptionField {
    var field = self
    field.parameter = parameter.flag(spelling, doc, words: words, isMany: isMany)
    return field
  }

  /// Options of another table that are options of this one, too.
  package static func nested<Inner>(
    _ fields: [OptionField<Inner>], in property: WritableKeyPath<Options, Inner>
  ) -> [OptionField] {
    let property = SendablePath(path: property)
    return fields.map { field in
      OptionField(field.parameter) { try field.read($0, $1, &$2[keyPath: property.path]) }
    }
  }
}

/// The path to a property. It captures texts at most: the declarations of options name properties.
private struct SendablePath<Path: AnyKeyPath>: @unchecked Sendable {
  let path: Path
}

/// The option of a call that is decoded, for errors about its value.
package struct OptionPlace: Sendable {
  package let name: String
  package let arguments: Arguments

  package init(_ name: String, _ arguments: Arguments) {
    self.name = name
    self.arguments = arguments
  }

  /// Begins messages about the value: `http.post: option 'json'`.
  package var text: String { arguments.place(option: name) }

  /// An error about the value of the option.
  package func failure(_ problem: String, hint: String? = nil) -> LuaError {
    arguments.failure(option: name, problem, hint: hint)
  }

  /// A list of strings, or one string of words.
  @HostActor package func words(_ value: LuaValue) throws(LuaError) -> [String]? {
    try arguments.words(value, "option '\(name)'")
  }
}

extension Arguments {
  /// A list of strings, or one string of words; nil when there is none.
  @HostActor package func words(_ value: LuaValue, _ place: String) throws(LuaError) -> [String]? {
    if value.isNil { return nil }
    if let text = value.string { return text.split(separator: " ").map(String.init) }
    var words: [String] = []
    for element in try value.table?.elements ?? [] {
      guard let word = element.string else {
        throw failure("\(place): expected a list of strings, got a \(element.typeName) in it")
      }
      words += word.split(separator: " ").map(String.init)
    }
    return words
  }
}

/// A type of values that options have.
package protocol LuaReadable: Sendable {
  /// The usual type of such an option.
  static var readType: LuaType { get }
  /// Returns nil for a value of another type.
  @HostActor static func read(_ value: LuaValue) -> Self?
}

extension String: LuaReadable {
  package static var readType: LuaType { .string }
  package static func read(_ value: LuaValue) -> String? { value.string }
}

extension Int: LuaReadable {
  package static var readType: LuaType { .integer }
  package static func read(_ value: LuaValue) -> Int? { value.integer.map { Int($0) } }
}

extension Double: LuaReadable {
  package static var readType: LuaType { .number }
  package static func read(_ value: LuaValue) -> Double? { value.number }
}

extension Bool: LuaReadable {
  package static var readType: LuaType { .boolean }
  package static func read(_ value: LuaValue) -> Bool? { value.boolean }
}

extension Secret: LuaReadable {
  package static var readType: LuaType { .secret }
  @HostActor package static func read(_ value: LuaValue) -> Secret? { value.asSecret }
}

extension LuaValue: LuaReadable {
  package static var readType: LuaType { .any }
  package static func read(_ value: LuaValue) -> LuaValue? { value }
}

extension LuaFunction: LuaReadable {
  nonisolated package static var readType: LuaType { .function }
  package static func read(_ value: LuaValue) -> LuaFunction? { value.function }
}

extension LuaTable: LuaReadable {
  nonisolated package static var readType: LuaType { .table }
  package static func read(_ value: LuaValue) -> LuaTable? { value.table }
}
