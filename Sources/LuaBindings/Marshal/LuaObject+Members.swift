import HostLoop
import Lua

extension LuaObject {
  /// A method of objects of this type. Scripts call it with a colon: `progress:update`.
  static func method(
    _ name: String, _ doc: String, _ parameters: [Parameter] = [], returns results: [HostFunction.Result] = [],
    _ body: @escaping @HostActor @Sendable (Self, Arguments) throws -> [LuaValue]
  ) -> HostFunction {
    HostFunction(name, doc, [receiver(of: name)] + parameters, returns: results) { arguments in
      try body(try arguments.object(0), arguments)
    }
  }

  /// A method that may wait.
  static func suspendingMethod(
    _ name: String, _ doc: String, _ parameters: [Parameter] = [], returns results: [HostFunction.Result] = [],
    _ body: @escaping @HostActor @Sendable (Self, Arguments) async throws -> [LuaValue]
  ) -> HostFunction {
    .suspending(name, doc, [receiver(of: name)] + parameters, returns: results) { arguments in
      try await body(try arguments.object(0), arguments)
    }
  }

  /// A field of objects of this type that is computed when it is read.
  static func property(
    _ name: String, _ type: LuaType, _ doc: String, _ get: @escaping @HostActor @Sendable (Self) throws -> LuaValue
  ) -> HostType.Property {
    HostType.Property(name, type, doc, of: Self.self) { object, _ in try get(object) }
  }

  private static func receiver(of name: String) -> Parameter {
    Parameter("self", .object(String(name.prefix { $0 != ":" })))
  }
}
