package import HostLoop
package import Lua

extension [Parameter] {
  package func with(_ options: [Parameter]?) -> [Parameter] { self + (options.map { [.options($0)] } ?? []) }
}

extension Parameter {
  /// A parameter that may be missing.
  package static func optional(
    _ name: String, _ type: LuaType, in range: ClosedRange<Double> = Self.exact, _ doc: String = ""
  )
    -> Parameter
  { Parameter(name, type, optional: true, in: range, doc) }
}

extension LuaValue {
  /// The object of that Swift type; nil for any other value.
  package func object<T: LuaObject>(_ type: T.Type) -> T? {
    if case .object(let object) = self { object as? T } else { nil }
  }
}

extension LuaRecord {
  package init(_ name: String, _ doc: String, _ fields: Parameter..., others: LuaType? = nil) {
    self.init(name, doc, fields, others: others)
  }
}

extension LuaType {
  /// A function without arguments that returns these results.
  package static func functionReturning(_ results: HostFunction.Result...) -> LuaType {
    .callback([], returns: results)
  }
}

/// A record that is made of a Swift value: each of its fields is declared once, with the way to read it.
package struct ValueRecord<Value>: Sendable {
  /// A field, and the way to read it.
  package struct Field: Sendable {
    package let parameter: Parameter
    package let read: @HostActor @Sendable (Value) -> LuaValue

    package init(
      _ name: String, _ type: LuaType, optional isOptional: Bool = false, _ doc: String,
      _ read: @escaping @HostActor @Sendable (Value) -> LuaValue
    ) {
      parameter = Parameter(name, type, optional: isOptional, doc)
      self.read = read
    }
  }

  /// The declaration.
  package let record: LuaRecord
  private let fields: [Field]

  package init(_ name: String, _ doc: String, _ fields: Field...) {
    record = LuaRecord(name, doc, fields.map(\.parameter))
    self.fields = fields
  }

  /// The record of a value.
  @HostActor package func value(_ value: Value) -> LuaValue {
    .record(fields.map { (name: $0.parameter.name, value: $0.read(value)) })
  }
}

extension LuaObject {
  /// A method of objects of this type. Scripts call it with a colon: `progress:update`.
  package static func method(
    _ name: String, _ doc: String, _ parameters: Parameter..., options: [Parameter]? = nil,
    returns results: HostFunction.Result..., example: String = "",
    _ body: @escaping @HostActor @Sendable (Self, Arguments) throws -> [LuaValue]
  ) -> HostFunction {
    HostFunction(name, doc, receiver(of: name) + parameters.with(options), returns: results, example: example) {
      try body(try $0.object(0), $0)
    }
  }

  /// A method that may wait.
  package static func suspendingMethod(
    _ name: String, _ doc: String, _ parameters: Parameter..., options: [Parameter]? = nil,
    returns results: HostFunction.Result..., example: String = "",
    _ body: @escaping @HostActor @Sendable (Self, Arguments) async throws -> [LuaValue]
  ) -> HostFunction {
    .suspending(name, doc, receiver(of: name) + parameters.with(options), returns: results, example: example) {
      try await body(try $0.object(0), $0)
    }
  }

  private static func receiver(of name: String) -> [Parameter] {
    [Parameter("self", .object(String(name.prefix { $0 != ":" })))]
  }

  /// A field of objects of this type that is computed when it is read.
  package static func property(
    _ name: String, _ type: LuaType, optional isOptional: Bool = false, _ doc: String,
    _ get: @escaping @HostActor @Sendable (Self) throws -> LuaValue
  ) -> HostType.Property {
    HostType.Property(name, type, optional: isOptional, doc, of: Self.self) { object, _ in try get(object) }
  }
}

/// A module of `b2c`, or the plan of a test file: functions, with just what they need.
@HostActor
package protocol LuaModule: Sendable {
  /// The functions, in the order of the documentation.
  static var functions: [ModuleFunction<Self>] { get }
}

/// A function of a module, declared once for the modules of all hosts. Without a constraint of its parameter: to check one,
/// the Swift runtime searches all conformances of the program at start-up.
package struct ModuleFunction<Module>: Sendable {
  /// The function of a module.
  package let of: @HostActor @Sendable (Module) -> HostFunction

  package init(of function: @escaping @HostActor @Sendable (Module) -> HostFunction) { of = function }
}

extension LuaModule {
  /// The functions of this module.
  package var functions: [HostFunction] { Self.functions.map { $0.of(self) } }

  /// A function of the module.
  package static func function(
    _ name: String, _ doc: String, _ parameters: Parameter..., options: [Parameter]? = nil,
    returns results: HostFunction.Result..., example: String = "",
    _ body: @escaping @HostActor @Sendable (Self, Arguments) throws -> [LuaValue]
  ) -> ModuleFunction<Self> {
    let parameters = parameters.with(options)
    return ModuleFunction { module in
      HostFunction(name, doc, parameters, returns: results, example: example) { try body(module, $0) }
    }
  }

  /// A function of the module that may wait.
  package static func suspending(
    _ name: String, _ doc: String, _ parameters: Parameter..., options: [Parameter]? = nil,
    returns results: HostFunction.Result..., example: String = "",
    _ body: @escaping @HostActor @Sendable (Self, Arguments) async throws -> [LuaValue]
  ) -> ModuleFunction<Self> {
    let parameters = parameters.with(options)
    return ModuleFunction { module in
      .suspending(name, doc, parameters, returns: results, example: example) { try await body(module, $0) }
    }
  }
}
